// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { explainFailure } from "../kit/explain-failure.ts";
import { laterTexts } from "../kit/later-texts.ts";
import type { Mark, Marks, UndoMark } from "./marks.ts";
import { useReader } from "./reader.ts";

/** Changes of marks, each with a notice that undoes it. */
export interface MarkActions {
  add(mark: Mark): void;
  change(mark: Mark): void;
  remove(mark: Mark): void;
}

export function useMarkActions(marks: Marks): MarkActions {
  const { notices } = useReader();
  async function run(change: Promise<UndoMark>, notice: string) {
    try {
      notices.done(notice, await change);
    } catch (error) {
      notices.show(explainFailure(error));
    }
  }
  const text = laterTexts.marks;
  return {
    add: (mark) => void run(marks.save(mark), isPageNote(mark) ? text.noteSaved : text.marked),
    change: (mark) => void run(marks.save(mark), isPageNote(mark) ? text.noteSaved : text.changed),
    remove: (mark) => void run(marks.delete(mark), isPageNote(mark) ? text.noteDeleted : text.deleted),
  };
}
