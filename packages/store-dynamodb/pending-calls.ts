// SPDX-License-Identifier: MIT

import { addUserCalls, noCalls, type UserCalls } from "@reading-list/core/domain/limits.ts";
import { LRUCache } from "lru-cache";

/** Users whose calls a process holds. The calls of an evicted one are not counted. */
const usersKept = 10_000;

/**
 * Calls that this process has admitted and not yet added to the users' records: polls with nothing new
 * (docs/decisions/counting-calls.md). Calls of an ended window are forgotten.
 */
export class PendingCalls {
  readonly #windows = new LRUCache<string, UserCalls & { start: number }>({ max: usersKept });

  /** The calls of a user in the window that begins at `start`. */
  of(username: string, start: number): UserCalls {
    const window = this.#windows.get(username);
    return window?.start === start ? window : noCalls;
  }

  /** Adds calls to a window; negative numbers remove them. */
  add(username: string, start: number, calls: UserCalls): void {
    // Calls of another window stay: a machine with a faster clock may have opened it.
    if (calls.calls === 0) return;
    const sum = addUserCalls(this.of(username, start), calls);
    if (sum.calls > 0) this.#windows.set(username, { start, ...sum });
    else this.#windows.delete(username);
  }

  /** Runs a write that adds the calls of a window, and `calls`, to the record; if it fails, the window keeps its own. */
  async write<T>(
    username: string,
    start: number,
    calls: UserCalls,
    write: (calls: UserCalls) => Promise<T>,
  ): Promise<T> {
    const pending = this.of(username, start);
    this.add(username, start, { calls: -pending.calls, publicCalls: -pending.publicCalls });
    try {
      return await write(addUserCalls(pending, calls));
    } catch (error) {
      this.add(username, start, pending);
      throw error;
    }
  }
}
