// SPDX-License-Identifier: MIT

import { windowAt } from "../../domain/limits.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { Turn } from "../../ports/pages.ts";
import type { User } from "../../ports/users.ts";
import type { Caller } from "../use-case.ts";

/** Seconds after which a slot is free again that a process has not given back: longer than a function may run. */
const slotSeconds = 30;

/**
 * Reads a page in one of the slots that an application has, or each address with a public key, so that slow pages of one
 * do not fill all functions.
 * Throws `keyLimited` if none is free. The errors of the reader name the `endpoint` here, and have theirs as the cause.
 */
export async function inPageSlot<T>(
  { clock, keyWindows, textsAtOnce }: Pick<Dependencies, "clock" | "keyWindows" | "textsAtOnce">,
  endpoint: "text" | "article",
  { application, address, user }: Pick<Caller, "application" | "address"> & { user?: Pick<User, "userId"> },
  read: (turn: Turn) => Promise<T>,
): Promise<T> {
  const readNamed = () =>
    read({ address, user: user?.userId }).catch((cause) => {
      if (!(cause instanceof ServiceError)) throw cause;
      const { kind, message, retryAfter, code } = cause;
      const options = { cause, code, ...(retryAfter !== undefined && { retryAfter }) };
      throw new ServiceError(kind, `${endpoint}: ${message}`, options);
    });
  const reader = application.isPublic ? `${application.id} ${address}` : application.id;
  const [id, { start }] = [`${reader} texts`, windowAt(unixTime(clock), slotSeconds)];
  const { counted } = await keyWindows.countCall(id, start, textsAtOnce, 1);
  if (!counted) {
    const who = application.isPublic ? "your address" : "this apikey";
    const message = `${who} is already reading ${textsAtOnce} pages; try again in a few seconds`;
    throw new ServiceError("keyLimited", message, { retryAfter: 5 });
  }
  try {
    return await readNamed();
  } finally {
    await keyWindows.addCalls(id, start, -1).catch(() => {});
  }
}
