// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/main.ts";
import { findStorageProblem } from "../kit/browser-storage.ts";
import { explain } from "../kit/explain.ts";
import { firstTexts } from "../kit/texts.ts";
import { useReader } from "./reader.ts";
import type { ChangeOptions, Session } from "./session.ts";

/** Changes the list, and shows a notice, with "Undo" unless there is no change. */
export type ChangeList = (changes: readonly Change[], notice: string, options?: ChangeOptions) => Promise<void>;

export function useChanges(session: Session): ChangeList {
  const { notices } = useReader();
  return async (changes, notice, options) => {
    if (changes.length === 0 && !options?.marks?.length) return notices.show(notice, options?.action);
    try {
      const undo = await session.change(changes, options);
      notices.done(notice, undo, options?.action);
    } catch (error) {
      const { failed } = firstTexts.notices;
      notices.show(findStorageProblem(error) ? `${failed} ${await explain(error)}` : failed);
    }
  };
}
