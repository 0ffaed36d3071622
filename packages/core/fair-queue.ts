/** A queue whose work is done some at a time, in turn by key (round robin): nobody waits for all of another key's work. */
export class FairQueue {
  /** Callers that wait, by key; the first key is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does the work in its turn. Rejects with `refusal` after `ms` of waiting. */
  async run<T>(key: string, ms: number, refusal: () => Error, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key, ms, refusal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for its turn; returns the way to end it. Rejects with `refusal` after `ms`. */
  async enter(key: string, ms: number, refusal: () => Error): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(refusal()), ms);
      await this.#waitFor(key, patience.signal).finally(() => clearTimeout(timer));
    }
    return () => this.#letNextIn();
  }

  #waitFor(key: string, patience: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      patience.throwIfAborted();
      const line = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, line);
      const enter = () => {
        patience.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        line.splice(line.indexOf(enter), 1);
        if (line.length === 0) this.#waiting.delete(key);
        reject(patience.reason);
      };
      line.push(enter);
      patience.addEventListener("abort", leave, { once: true });
    });
  }

  #letNextIn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    const [key, line] = next;
    const enter = line.shift();
    this.#waiting.delete(key);
    if (line.length > 0) this.#waiting.set(key, line);
    enter?.();
  }
}
