/** A queue whose work is done some at a time, in turn by key (round robin): nobody waits for all of another key's work. */
export class FairQueue {
  /** Callers that wait, by key; the first key is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Does the work in its turn. Rejects with the reason of `patience` if it is aborted before. */
  async run<T>(key: string, patience: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#waitFor(key, patience);
    try {
      return await work();
    } finally {
      this.#letNextIn();
    }
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
