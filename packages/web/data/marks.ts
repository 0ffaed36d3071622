// SPDX-License-Identifier: MIT

import type { Highlight, HighlightColor } from "@reading-list/client/main.ts";
import { Observable } from "../kit/observable.ts";

/** A highlight as this device has it: without what the service alone knows. */
export type Mark = Omit<Highlight, "itemId" | "timeUpdated" | "position"> & { position?: number | undefined };
/** A new mark, or the fields of a known one that change. */
export type MarkChange = Pick<Mark, "id"> & Partial<Mark>;
export type MarkColor = HighlightColor;
export const markColors: readonly MarkColor[] = ["yellow", "red", "green", "blue", "purple"];

/** Takes a change of marks back. */
export type UndoMark = () => Promise<void>;

/** Where marks are stored and queued. */
export interface MarkStore {
  all(): Promise<Mark[]>;
  save(change: MarkChange): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Decimal digits and letters, so that no two devices choose the same. */
export const newMarkId = () =>
  crypto.getRandomValues(new Uint8Array(15)).reduce((id, byte) => id + (byte % 36).toString(36), "m");

/** The marks of the user as this device shows them: those of the service, with the queued changes on top. */
export class Marks {
  /** Newest first; undefined until they are loaded. */
  readonly all = new Observable<readonly Mark[] | undefined>(undefined);
  readonly #store: MarkStore;
  readonly #onChange: () => void;

  constructor(store: MarkStore, onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  async load(): Promise<void> {
    const marks = await this.#store.all();
    this.all.value = marks.sort((a, b) => b.timeCreated.getTime() - a.timeCreated.getTime());
  }

  /** Adds a mark, or changes its color and note. */
  async save(mark: Mark): Promise<UndoMark> {
    const before = this.all.value?.find(({ id }) => id === mark.id);
    const save = (one: Mark, other: Mark | undefined) => this.#change(() => this.#store.save(changeOf(one, other)));
    await save(mark, before);
    return () => (before ? save(before, mark) : this.#change(() => this.#store.delete(mark.id)));
  }

  async delete(mark: Mark): Promise<UndoMark> {
    await this.#change(() => this.#store.delete(mark.id));
    // A deleted id stays deleted.
    return () => this.#change(() => this.#store.save({ ...mark, id: newMarkId() }));
  }

  async #change(change: () => Promise<void>): Promise<void> {
    await change();
    await this.load();
    this.#onChange();
  }
}

/** The fields that differ from another state of a mark, so that changes of other fields on other devices stay. */
function changeOf(mark: Mark, before: Mark | undefined): MarkChange {
  if (!before) return mark;
  const { id, color, note } = mark;
  return { id, ...(color !== before.color && { color }), ...(note !== before.note && { note }) };
}
