import { windowAt } from "../domain/limits.ts";
import { ServiceError } from "../errors.ts";
import { type Dependencies, secondsOf } from "../ports.ts";

/** Seconds after which a slot is free again that a process has not given back: longer than a function may run. */
const slotSeconds = 30;

/**
 * Reads a page in one of the slots that an application has, so that slow pages of one key do not fill all functions.
 * Throws `keyLimited` if none is free. The errors of the reader name the `endpoint` here, and have theirs as the cause.
 */
export async function inPageSlot<T>(
  { clock, keyWindows, textsAtOnce }: Pick<Dependencies, "clock" | "keyWindows" | "textsAtOnce">,
  endpoint: "text" | "article",
  applicationId: string,
  read: () => Promise<T>,
): Promise<T> {
  const readNamed = () =>
    read().catch((cause) => {
      if (!(cause instanceof ServiceError)) throw cause;
      const { kind, message, retryAfter } = cause;
      const options = { cause, ...(retryAfter !== undefined && { retryAfter }) };
      throw new ServiceError(kind, `${endpoint}: ${message}`, options);
    });
  if (textsAtOnce === undefined) return readNamed();
  const [id, { start }] = [`${applicationId} texts`, windowAt(secondsOf(clock), slotSeconds)];
  const { counted } = await keyWindows.countCall(id, start, textsAtOnce, 1);
  if (!counted) {
    const message = `this apikey reads ${textsAtOnce} pages at once already; try again in some seconds`;
    throw new ServiceError("keyLimited", message, { retryAfter: 5 });
  }
  try {
    return await readNamed();
  } finally {
    await keyWindows.addCalls(id, start, -1).catch(() => {});
  }
}
