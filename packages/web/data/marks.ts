// SPDX-License-Identifier: MIT

import {
  copyHighlight,
  type Highlight,
  type HighlightChange,
  type HighlightColor,
  type HighlightStore,
  localHighlights,
} from "@reading-list/client/main.ts";
import { enqueueUndoable } from "@reading-list/client/undo.ts";
import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { Observable } from "../kit/observable.ts";
import type { Exclusively } from "./list.ts";

/** A highlight as this device has it. */
export type Mark = Omit<Highlight, "itemId" | "timeUpdated"> & { timeUpdated?: Date | undefined };
export type MarkColor = HighlightColor;
export const markColors: readonly MarkColor[] = ["yellow", "red", "green", "blue", "purple"];

/** Takes a change of marks back. */
export type UndoMark = () => Promise<void>;

/** The highlights of the user as this device shows them: the service's highlights, with the queued changes applied. */
export class Marks {
  /** Newest first; undefined until they are loaded. */
  readonly all = new Observable<readonly Mark[] | undefined>(undefined);
  /** The newest note on each page, by URL. */
  readonly notes = new Observable<ReadonlyMap<string, string>>(new Map());
  readonly #store: HighlightStore;
  readonly #exclusively: Exclusively;
  readonly #onChange: () => void;

  constructor(store: HighlightStore, exclusively: Exclusively, onChange: () => void) {
    this.#store = store;
    this.#exclusively = exclusively;
    this.#onChange = onChange;
  }

  async load(): Promise<void> {
    const all = await localHighlights(this.#store);
    this.all.value = all;
    const oldestFirst = all.filter(isPageNote).reverse();
    this.notes.value = new Map(oldestFirst.map(({ url, note }) => [url, note]));
  }

  /** Adds a mark, or changes its color and note. */
  save(mark: Mark): Promise<UndoMark> {
    const before = this.all.value?.find(({ id }) => id === mark.id);
    const opposite: HighlightChange = before ? describeChange(before, mark) : { kind: "delete", id: mark.id };
    return this.#change([describeChange(mark, before)], () => [opposite]);
  }

  /** Adds missing highlights, such as the highlights of a file. */
  add(changes: readonly HighlightChange[]): Promise<UndoMark> {
    return this.#change(changes, ({ id }) => [{ kind: "delete", id }]);
  }

  delete(mark: Mark): Promise<UndoMark> {
    // A deleted id stays deleted.
    return this.#change([{ kind: "delete", id: mark.id }], () => [copyHighlight(mark)]);
  }

  /** Queues changes and shows them. */
  async #change(
    changes: readonly HighlightChange[],
    oppositesOf: (change: HighlightChange) => readonly HighlightChange[],
  ): Promise<UndoMark> {
    const undo = await enqueueUndoable(this.#store, changes, oppositesOf);
    await this.#changed();
    return async () => {
      await this.#exclusively(undo);
      await this.#changed();
    };
  }

  async #changed(): Promise<void> {
    await this.load();
    this.#onChange();
  }
}

/** The fields that differ from another state of a mark, so that changes of other fields on other devices stay. */
function describeChange(mark: Mark, before: Mark | undefined): HighlightChange {
  if (!before) return { ...mark, kind: "save" };
  const { id, color, note } = mark;
  return { kind: "save", id, ...(color !== before.color && { color }), ...(note !== before.note && { note }) };
}
