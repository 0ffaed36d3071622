import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Entry } from "@reading-list/exchange/main.ts";

/** Characters collected before they are written. */
const bufferLength = 1_000_000;

/**
 * Sorts any number of entries by time, the oldest first and those without a time last; entries of the same time stay in
 * their order. The entries are in a temporary file that has no name any more, so that nothing is left of it even if the
 * process is killed. Memory holds 20 bytes for each.
 */
export class SortedEntries {
  readonly #file: number;
  #times = new Float64Array(1024);
  /** Where each entry begins in the file; the one behind the last is where the next one will begin. */
  #offsets = new Float64Array(1024);
  #count = 0;
  #buffer = "";

  constructor() {
    const folder = mkdtempSync(path.join(tmpdir(), "readinglist-"));
    this.#file = openSync(path.join(folder, "entries"), "wx+", 0o600);
    rmSync(folder, { recursive: true });
  }

  get count(): number {
    return this.#count;
  }

  add(entry: Entry): void {
    const text = JSON.stringify(entry);
    if (this.#count + 1 >= this.#times.length) {
      this.#times = grown(this.#times);
      this.#offsets = grown(this.#offsets);
    }
    this.#times[this.#count] = entry.timeUpdated ?? entry.timeAdded ?? Number.POSITIVE_INFINITY;
    this.#offsets[this.#count + 1] = (this.#offsets[this.#count] ?? 0) + Buffer.byteLength(text);
    this.#count++;
    this.#buffer += text;
    if (this.#buffer.length >= bufferLength) this.#flush();
  }

  *read(): Generator<Entry> {
    this.#flush();
    const [times, offsets] = [this.#times, this.#offsets];
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index);
    order.sort((a, b) => Number(times[a]) - Number(times[b]) || a - b);
    for (const index of order) {
      const start = Number(offsets[index]);
      const bytes = Buffer.allocUnsafe(Number(offsets[index + 1]) - start);
      readSync(this.#file, bytes, 0, bytes.length, start);
      yield JSON.parse(bytes.toString());
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#buffer = "";
  }
}

function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * values.length);
  larger.set(values);
  return larger;
}
