// SPDX-License-Identifier: MIT

import { LRUCache } from "lru-cache";

/** Keys whose last turn a queue remembers. */
const turnsKept = 10_000;

/** A caller that waits for its turn. */
interface Waiting {
  group: string;
  enter: () => void;
  refuse: (reason: unknown) => void;
}

/** Current work of a queue: in progress, and waiting. */
export interface QueueLoad {
  running: number;
  waiting: number;
}

export interface FairQueueOptions {
  /** Places at once. */
  atOnce: number;
  /** Maximum places that one group can have at once; all if undefined. */
  ofGroup?: number;
  /** Callers that wait at once; beyond them the longest line loses its last one. No limit if undefined. */
  waiting?: number;
}

/**
 * A queue whose work is done some at a time, in turn by key: the key whose last turn is longest ago is the next. Those
 * that never had a turn come first, the newest before the others (adaptive LIFO): in a storm the oldest ones are about to
 * give up. So a newcomer waits for nobody who asks again and again, and for no crowd that came before.
 */
export class FairQueue {
  /** Callers that wait, by key. */
  readonly #lines = new Map<string, Waiting[]>();
  /** The number of the last turn of a key. */
  readonly #turns = new LRUCache<string, number>({ max: turnsKept });
  #turn = 0;
  /** Places that are taken, by group. */
  readonly #taken = new Map<string, number>();
  readonly #options: Required<FairQueueOptions>;
  #free: number;
  #waiting = 0;

  constructor({ atOnce, ofGroup = atOnce, waiting = Number.POSITIVE_INFINITY }: FairQueueOptions) {
    this.#options = { atOnce, ofGroup, waiting };
    this.#free = atOnce;
  }

  /** Does the work in its turn. Rejects as `enter` does. */
  async run<T>(key: string, patience: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key, patience);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for a place; returns the way to leave it. Rejects with the reason of `patience` if it is aborted before, and
   * with an error if too many wait.
   */
  async enter(key: string, patience: AbortSignal, group = key): Promise<() => void> {
    patience.throwIfAborted();
    if (this.#take(group)) this.#turns.set(key, ++this.#turn);
    else await this.#waitFor(key, group, patience);
    return () => {
      this.#free++;
      this.#taken.set(group, (this.#taken.get(group) ?? 0) - 1);
      if (this.#taken.get(group) === 0) this.#taken.delete(group);
      this.#letIn();
    };
  }

  load(): QueueLoad {
    return { running: this.#options.atOnce - this.#free, waiting: this.#waiting };
  }

  /** Whether a caller with this key would be refused now, because too many wait. */
  isFullFor(key: string): boolean {
    const lengths = [...this.#lines.values()].map((line) => line.length);
    return this.#waiting >= this.#options.waiting && (this.#lines.get(key)?.length ?? 0) >= Math.max(...lengths);
  }

  #take(group: string): boolean {
    const taken = this.#taken.get(group) ?? 0;
    if (this.#free === 0 || taken >= this.#options.ofGroup) return false;
    this.#free--;
    this.#taken.set(group, taken + 1);
    return true;
  }

  async #waitFor(key: string, group: string, patience: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // At once: a place that the queue gave to a caller who has left in the same turn would never be free again.
    const leaveLine = () => {
      patience.removeEventListener("abort", abort);
      this.#remove(key, waiting);
    };
    const enter = () => {
      leaveLine();
      resolve();
    };
    const refuse = (reason: unknown) => {
      leaveLine();
      reject(reason);
    };
    const waiting = { group, enter, refuse };
    const abort = () => refuse(patience.reason);
    patience.addEventListener("abort", abort, { once: true });
    this.#lines.set(key, [...(this.#lines.get(key) ?? []), waiting]);
    this.#waiting++;
    if (this.#waiting > this.#options.waiting) {
      const longest = [...this.#lines.values()].reduce((one, other) => (other.length > one.length ? other : one));
      longest.at(-1)?.refuse(new Error("too many callers are waiting"));
    }
    await promise;
  }

  #remove(key: string, waiting: Waiting): void {
    const line = (this.#lines.get(key) ?? []).filter((one) => one !== waiting);
    if (line.length > 0) this.#lines.set(key, line);
    else this.#lines.delete(key);
    this.#waiting--;
  }

  /** Gives the free places to the first of the lines, beginning with the one whose last turn is longest ago. */
  #letIn(): void {
    if (this.#free === 0) return;
    const findLastTurn = (key: string) => this.#turns.get(key) ?? 0;
    const lines = [...this.#lines].reverse().sort(([one], [other]) => findLastTurn(one) - findLastTurn(other));
    for (const [key, [first]] of lines) {
      if (!first || !this.#take(first.group)) continue;
      this.#turns.set(key, ++this.#turn);
      first.enter();
    }
  }
}
