// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/main.ts";
import { storageProblemOf } from "../kit/browser-storage.ts";
import { english } from "../kit/english.ts";
import { useReader } from "./reader.ts";
import type { Session } from "./session.ts";

/** Changes the list, and shows a notice, with "Undo" unless there is no change. */
export type ChangeList = (changes: readonly Change[], notice: string, options?: { hold?: number }) => Promise<void>;

export function useChanges(session: Session): ChangeList {
  const { notices } = useReader();
  return async (changes, notice, options) => {
    if (changes.length === 0) return notices.show(notice);
    try {
      const undo = await session.change(changes, options);
      notices.show(notice, { name: english.undo, run: () => undo().then(() => notices.show(english.notices.undone)) });
    } catch (error) {
      const problem = storageProblemOf(error);
      notices.show(problem ? `${english.notices.failed} ${english.storage[problem]}` : english.notices.failed);
    }
  };
}
