import type { Quotation } from "@reading-list/core/domain/quotation.ts";
import { Observable } from "../kit/observable.ts";
import type { Settings } from "../kit/settings.ts";

export type MarkColor = Settings["markColor"];
export const markColors: readonly MarkColor[] = ["yellow", "red", "green", "blue", "purple"];

/** A highlight of the user, with a note. */
export interface Mark extends Quotation {
  id: string;
  /** URL of the item. */
  url: string;
  color: MarkColor;
  note: string;
  timeCreated: Date;
}

/** Takes a change of marks back. */
export type UndoMark = () => Promise<void>;

/** Where marks are stored and queued. */
export interface MarkStore {
  all(): Promise<Mark[]>;
  save(mark: Mark): Promise<void>;
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
    await this.#change(() => this.#store.save(mark));
    return () => this.#change(() => (before ? this.#store.save(before) : this.#store.delete(mark.id)));
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
