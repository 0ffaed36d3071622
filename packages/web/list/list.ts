import { type Change, pageKeyOf } from "@reading-list/client/change.ts";
import { withChanges } from "@reading-list/client/local-items.ts";
import type { LocalItem, QueuedChange, Store, StoredItem } from "@reading-list/client/main.ts";
import { Observable } from "../app/observable.ts";

/** Takes changes back; says whether they had been sent before. */
export type Undo = () => Promise<void>;

/** The list as this device shows it: the replica in a store, with the queued changes on top. */
export class List {
  /** Newest change first; undefined until it is loaded. */
  readonly items = new Observable<readonly LocalItem[] | undefined>(undefined);
  /** Changes that the service does not have yet. */
  readonly unsent = new Observable(0);
  readonly #store: Store;
  readonly #exclusively: Exclusively;
  #replica: StoredItem[] = [];
  #loading: Promise<void> | undefined;
  #isStale = false;

  /** `exclusively` runs what no sync may run beside, in any tab. */
  constructor(store: Store, exclusively: Exclusively) {
    this.#store = store;
    this.#exclusively = exclusively;
  }

  /** Reads the replica again. Calls that come while it is read share one more reading. */
  load(): Promise<void> {
    this.#isStale = true;
    this.#loading ??= this.#loadUntilFresh().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadUntilFresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      // The queue is read first: a change that leaves it in between is in the items by then.
      const queue = await this.#store.queue();
      this.#replica = await this.#store.items();
      await this.#show(queue);
    }
  }

  async #show(queue?: readonly QueuedChange[]): Promise<void> {
    const changes = queue ?? (await this.#store.queue());
    const { sent } = await this.#store.state();
    this.items.value = withChanges(this.#replica, changes);
    this.unsent.value = changes.filter(({ id }) => id > sent).length;
  }

  /** The item of a page. */
  find(url: string): LocalItem | undefined {
    const items = this.items.value ?? [];
    const same = items.find((item) => item.url === url);
    if (same) return same;
    const key = pageKeyOf(url);
    return items.find((item) => pageKeyOf(item.url) === key);
  }

  /** Queues changes and shows them. They survive a reload of the page from the moment this resolves. */
  async change(changes: readonly Change[]): Promise<Undo> {
    const known = new Map((this.items.value ?? []).map((item) => [item.url, item]));
    const before = changes.map(({ url }) => known.get(url) ?? (changes.length === 1 ? this.find(url) : undefined));
    const last = (await this.#store.queue()).at(-1)?.id ?? 0;
    await this.#store.enqueue(changes);
    await this.#show();
    return () => this.#exclusively(() => this.#undo(changes, before, last));
  }

  /** Removes unsent changes from the queue; queues the opposite of those that were sent. */
  async #undo(changes: readonly Change[], before: readonly (LocalItem | undefined)[], last: number): Promise<void> {
    const state = await this.#store.state();
    const contents = new Set(changes.map((change) => JSON.stringify(change)));
    const queued = (await this.#store.queue()).filter(
      ({ id, change }) => id > Math.max(last, state.sent) && contents.has(JSON.stringify(change)),
    );
    const unsent = new Set(queued.map(({ change }) => JSON.stringify(change)));
    await this.#store.commit({ state, dequeue: queued.map(({ id }) => id) });
    const sent = changes.flatMap((change, i) =>
      unsent.has(JSON.stringify(change)) ? [] : oppositeOf(change, before[i]),
    );
    await this.#store.enqueue(sent);
    await this.#show();
  }
}

export type Exclusively = <T>(run: () => Promise<T>) => Promise<T>;

/** The changes that make an item what it was before. The API cannot restore when it was added. */
function oppositeOf({ kind, url }: Change, before: LocalItem | undefined): Change[] {
  if (!before) return kind === "add" ? [{ kind: "delete", url }] : [];
  if (kind === "title") return [{ kind, url, title: before.title }];
  if (kind === "tags") return [{ kind, url, tags: before.tags }];
  const { title, tags, state } = before;
  const added: Change[] = kind === "add" ? [] : [{ kind: "add", url, title, tags }];
  return state === "read" ? [...added, { kind: "read", url }] : added;
}
