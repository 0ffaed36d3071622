// SPDX-License-Identifier: MIT

import { windowAt } from "../domain/limits.ts";
import type { ServiceError } from "../errors.ts";
import { unixTime } from "../ports/clock.ts";
import type { Dependencies } from "../ports/dependencies.ts";

export type CountPorts = Pick<Dependencies, "clock" | "keyWindows">;

/**
 * Counts one in a window of `seconds`, and returns the undo. If that exceeds `limit`, throws what `refuse` makes of the
 * seconds until the window ends.
 */
export async function countLimited(
  { clock, keyWindows }: CountPorts,
  { id, limit, seconds }: { id: string; limit: number; seconds: number },
  refuse: (retryAfter: number) => ServiceError,
): Promise<() => Promise<void>> {
  const now = unixTime(clock);
  const window = windowAt(now, seconds);
  const { counted } = await keyWindows.countCall(id, window.start, limit, 1);
  if (!counted) throw refuse(window.end - now);
  return async () => void (await keyWindows.addCalls(id, window.start, -1));
}
