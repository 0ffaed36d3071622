import { windowAt } from "../domain/limits.ts";
import { ServiceError } from "../errors.ts";
import { type Dependencies, secondsOf } from "../ports.ts";

/** Seconds after which a slot is free again that a process has not given back: longer than a function may run. */
const slotSeconds = 30;

/**
 * Reads a page in one of the slots that an application has, so that slow pages of one key do not fill all functions.
 * Throws `keyLimited` if none is free.
 */
export async function inPageSlot<T>(
  { clock, keyWindows, textsAtOnce }: Pick<Dependencies, "clock" | "keyWindows" | "textsAtOnce">,
  applicationId: string,
  read: () => Promise<T>,
): Promise<T> {
  if (textsAtOnce === undefined) return read();
  const [id, { start }] = [`${applicationId} texts`, windowAt(secondsOf(clock), slotSeconds)];
  const { counted } = await keyWindows.countCall(id, start, textsAtOnce, 1);
  if (!counted) {
    const message = `this apikey reads ${textsAtOnce} pages at once already; try again in some seconds`;
    throw new ServiceError("keyLimited", message, { retryAfter: 5 });
  }
  try {
    return await read();
  } finally {
    await keyWindows.uncountCall(id, start, 1).catch(() => {});
  }
}
