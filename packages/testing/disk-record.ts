// SPDX-License-Identifier: MIT

/** In the order of their numbers in `record-writes.c`. */
const kinds = ["write", "truncate", "delete", "sync begins", "sync succeeds", "sync fails"] as const;
/** Bytes of an entry, without those of a write. */
const entrySize = 64;

/** An entry of a record. */
export interface Entry {
  kind: (typeof kinds)[number] | undefined;
  /** Name of the file within the recorded folder; empty for the folder. */
  name: string;
  /** The number of a sync. */
  sync: number;
  offset: number;
  bytes: Buffer;
  /** Bytes of the record up to the end of the entry. */
  end: number;
}

/** The entries of a record of `record-writes.c`. */
export function* entriesOf(record: Buffer): Generator<Entry> {
  for (let start = 0; start < record.length; ) {
    const entry = record.subarray(start, start + entrySize);
    const end = start + entrySize + Number(entry.readBigInt64LE(16));
    yield {
      kind: kinds[entry.readUInt32LE(0)],
      sync: entry.readUInt32LE(4),
      offset: Number(entry.readBigInt64LE(8)),
      name: entry.toString("utf8", 24).replace(/\0.*/, ""),
      bytes: record.subarray(start + entrySize, end),
      end,
    };
    start = end;
  }
}

/** Bytes that the kernel writes to the disk together, and bytes that the disk writes atomically. */
const pageSize = 4096;
const sectorSize = 512;

/** The contents that the disk may have of a page of a file: the last one that surely reached it, and all later ones. */
interface Page {
  contents: Buffer[];
}

const latest = ({ contents }: Page) => contents.at(-1) as Buffer;

/** A file whose pages may each be older on the disk than in the kernel's cache. */
class RecordedFile {
  readonly #pages: Page[];
  /** Pages that the next sync writes. After a failed sync Linux takes them as written. */
  readonly #dirty = new Set<Page>();
  /** The file before it was truncated or deleted, which may reappear until a sync of `formerUntil`. */
  former: RecordedFile | undefined;
  formerUntil: string | undefined;

  constructor(pages: Page[] = []) {
    this.#pages = pages;
  }

  write(bytes: Buffer, offset: number): void {
    for (let from = 0; from < bytes.length; ) {
      const start = (offset + from) % pageSize;
      const part = bytes.subarray(from, from + pageSize - start);
      const page = this.#pageAt(Math.floor((offset + from) / pageSize));
      const content = Buffer.alloc(Math.max(latest(page).length, start + part.length));
      latest(page).copy(content);
      part.copy(content, start);
      page.contents.push(content);
      this.#dirty.add(page);
      from += part.length;
    }
  }

  /** Cuts the file at a length; a sync of `until` makes that durable. */
  truncate(length: number, until: string): void {
    const kept = Math.ceil(length / pageSize);
    if (kept >= this.#pages.length) return;
    this.former = new RecordedFile(this.#pages.map(({ contents }) => ({ contents: [...contents] })));
    this.formerUntil = until;
    this.#pages.splice(kept);
  }

  /** Begins a sync; returns what to do if it succeeds, or fails. */
  beginSync(): (succeeds: boolean) => void {
    const written = [...this.#dirty].map((page) => ({ page, content: latest(page) }));
    return (succeeds) => {
      for (const { page, content } of written) {
        if (latest(page) === content) this.#dirty.delete(page);
        const place = page.contents.indexOf(content);
        if (succeeds && place > 0) page.contents.splice(0, place);
      }
    };
  }

  /** See `RecordedDisk.fileAfterPowerCut`. */
  afterPowerCut(newer: number, random: () => number): Buffer {
    if (this.former && random() >= newer) return this.former.afterPowerCut(newer, random);
    const drawn = this.#pages.map((page) => drawContent(page, newer, random));
    const last = drawn.findLastIndex(({ length }) => length > 0);
    return Buffer.concat(
      drawn.slice(0, last + 1).map((content, place) => (place === last ? content : padded(content))),
    );
  }

  #pageAt(place: number): Page {
    for (let next = this.#pages.length; next <= place; next++) this.#pages.push({ contents: [Buffer.alloc(0)] });
    return this.#pages[place] as Page;
  }
}

/** A copy that is as long as a page. */
const padded = (content: Buffer) => Buffer.concat([content], pageSize);

/** One of the contents that a page may have, or a mixture of two: the sectors of a page are written in any order. */
function drawContent({ contents }: Page, newer: number, random: () => number): Buffer {
  const [oldest = Buffer.alloc(0)] = contents;
  if (contents.length === 1 || random() >= newer) return oldest;
  const draw = () => contents[newer === 1 ? contents.length - 1 : Math.floor(random() * contents.length)] as Buffer;
  const content = draw();
  if (newer === 1 || random() < 0.7) return content;
  const other = draw();
  const torn = padded(content);
  for (let sector = 0; sector < pageSize; sector += sectorSize) {
    if (random() < 0.5) padded(other).copy(torn, sector, sector, sector + sectorSize);
  }
  return torn.subarray(0, Math.max(content.length, other.length));
}

/**
 * A model of a disk: everything may be lost, torn or reordered that no sync has written. A failed sync may have written
 * anything, and a later one writes it only if the page was changed again.
 */
export class RecordedDisk {
  readonly #files = new Map<string, RecordedFile>();
  readonly #syncs = new Map<number, (succeeds: boolean) => void>();

  /** Repeats an entry of the record. */
  repeat({ kind, name, sync, offset, bytes }: Entry): void {
    const file = this.#files.get(name) ?? new RecordedFile();
    this.#files.set(name, file);
    if (kind === "write") file.write(bytes, offset);
    if (kind === "truncate") file.truncate(offset, name);
    if (kind === "delete") file.truncate(0, "");
    if (kind === "sync begins") this.#syncs.set(sync, this.#beginSync(file, name));
    if (kind === "sync succeeds" || kind === "sync fails") this.#syncs.get(sync)?.(kind === "sync succeeds");
  }

  /**
   * A file as it may be after a power cut at this moment. `newer`: the probability that a page is newer than it must be;
   * 0: everything is lost that may be, 1: nothing.
   */
  fileAfterPowerCut(name: string, newer: number, random: () => number): Buffer {
    return this.#files.get(name)?.afterPowerCut(newer, random) ?? Buffer.alloc(0);
  }

  #beginSync(file: RecordedFile, name: string): (succeeds: boolean) => void {
    const end = file.beginSync();
    const moved = [...this.#files.values()].filter((each) => each.former && each.formerUntil === name);
    return (succeeds) => {
      end(succeeds);
      if (succeeds) for (const each of moved) each.former = undefined;
    };
  }
}
