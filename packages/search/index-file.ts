// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { keyLines, tagList } from "@reading-list/core/domain/condition-sql.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import type { IndexedPage, IndexState, PageContent } from "@reading-list/core/ports/search.ts";
import { textOfPage } from "./page-text.ts";
import { prepareText } from "./prepare-text.ts";

/** The format of the file, and of folded words in it: a file of another format is rebuilt. */
const version = 3;

const schema = `
  CREATE VIRTUAL TABLE texts USING fts5(
    title, tags, author, url, note, body,
    content='', contentless_delete=1,
    tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
  );
  -- id: small, because the index has differences of ids. signature: of all that texts has.
  CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL UNIQUE,
    signature TEXT NOT NULL,
    state TEXT NOT NULL,
    tags TEXT NOT NULL,
    tag_keys TEXT NOT NULL,
    site TEXT NOT NULL,
    time_added INTEGER NOT NULL,
    article_bytes INTEGER NOT NULL,
    change_key TEXT NOT NULL
  ) STRICT;
  CREATE TABLE state (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${version};
`;

/**
 * Everything that the index has of a page's text, except its saved article and highlights, which come with new
 * signatures.
 */
const hashPage = ({ url, title, tags, contentKey }: IndexedPage) =>
  createHash("sha256").update([url, title, tags, contentKey].join("\0")).digest("base64url").slice(0, 22);

/**
 * The full-text index of one user's list in a separate file, without the texts. It is derived from the list: a lost or
 * damaged file is rebuilt.
 */
export class IndexFile {
  readonly #connection: DatabaseSync;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /** Opens a file, and creates it if it does not exist or has another version. */
  static open(path: string): IndexFile {
    let connection = connect(path);
    const found = Number(connection.prepare("PRAGMA user_version").get()?.user_version);
    if (found !== version) {
      connection.close();
      removeIndex(path);
      connection = connect(path);
      connection.exec(`BEGIN; ${schema} COMMIT`);
    }
    return new IndexFile(connection);
  }

  state(): IndexState | undefined {
    const row = this.#connection.prepare("SELECT value FROM state WHERE id = 1").get();
    return row && readState(String(row.value));
  }

  setState(state: IndexState): void {
    this.#connection.prepare("INSERT OR REPLACE INTO state VALUES (1, ?)").run(JSON.stringify(state));
  }

  /** Stores the fields of pages, and returns the ids of pages whose text must be indexed: see `putContents`. */
  putPages(pages: readonly IndexedPage[]): string[] {
    return this.#write(() =>
      pages.flatMap((page) => {
        const signature = hashPage(page);
        const known = this.#connection
          .prepare("SELECT signature FROM pages WHERE item_id = ?")
          .get(Number(page.itemId));
        if (known?.signature !== signature) return [page.itemId];
        this.#connection
          .prepare(`UPDATE pages SET (${names}) = (${parameters}) WHERE item_id = :item_id`)
          .run(pageRow(page, signature));
        return [];
      }),
    );
  }

  /** Indexes pages with their texts, and replaces their earlier entries. */
  putContents(contents: readonly { page: IndexedPage; content: PageContent }[]): void {
    this.#write(() => {
      for (const { page, content } of contents) {
        this.#remove(page.itemId);
        const { lastInsertRowid: id } = this.#connection
          .prepare(`INSERT INTO pages (${names}) VALUES (${parameters})`)
          .run(pageRow(page, hashPage(page)));
        const texts = [
          page.title,
          page.tags,
          content.author,
          readableUrl(page.url),
          content.note,
          textOfPage(content.html),
        ];
        this.#connection
          .prepare("INSERT INTO texts (rowid, title, tags, author, url, note, body) VALUES (?, ?, ?, ?, ?, ?, ?)")
          .run(Number(id), ...texts.map(prepareText));
      }
    });
  }

  remove(itemIds: readonly string[]): void {
    this.#write(() => {
      for (const itemId of itemIds) this.#remove(itemId);
    });
  }

  /** The ids of pages whose articles have other sizes. */
  findResized(sizes: ReadonlyMap<string, number>): string[] {
    const resized: string[] = [];
    for (const { item_id: id, article_bytes: bytes } of this.#connection
      .prepare("SELECT item_id, article_bytes FROM pages")
      .iterate())
      if ((sizes.get(String(id)) ?? 0) !== Number(bytes)) resized.push(String(id));
    return resized;
  }

  /** Rewrites the index if pages were removed since the last time, so that no byte of their words is left in the file. */
  compact(): void {
    const removals = this.#connection.prepare("SELECT value FROM state WHERE id = 2").get();
    if (!removals) return;
    this.#write(() => {
      this.#connection.exec("INSERT INTO texts (texts) VALUES ('optimize')");
      this.#connection.exec("DELETE FROM state WHERE id = 2");
    });
    this.flush();
  }

  /** Writes the log into the file, which is whole without it then. */
  flush(): void {
    this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#connection.close();
  }

  #remove(itemId: string): void {
    const row = this.#connection.prepare("DELETE FROM pages WHERE item_id = ? RETURNING id").get(Number(itemId));
    if (!row) return;
    this.#connection.prepare("DELETE FROM texts WHERE rowid = ?").run(Number(row.id));
    this.#connection.exec("INSERT OR IGNORE INTO state VALUES (2, 'pages were removed')");
  }

  #write<T>(work: () => T): T {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }
}

/** A state; undefined if it is damaged, so that the index is rebuilt. */
function readState(json: string): IndexState | undefined {
  try {
    const { username, asOf, revision, articles } = JSON.parse(json);
    const isWhole = typeof username === "string" && typeof articles === "string";
    return isWhole && Number.isFinite(asOf) && Number.isFinite(revision)
      ? { username, asOf, revision, articles }
      : undefined;
  } catch {
    return undefined;
  }
}

function connect(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: 5000 });
  try {
    // A power cut may lose the last changes, which are read from the list again. Deleted words are overwritten.
    connection.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 1000000",
    );
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Removes an index from the disk. */
export function removeIndex(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** The columns of `pages`, and their parameters. */
const columns = [
  "item_id",
  "signature",
  "state",
  "tags",
  "tag_keys",
  "site",
  "time_added",
  "article_bytes",
  "change_key",
] as const;
const names = columns.join(", ");
const parameters = columns.map((name) => `:${name}`).join(", ");

const pageRow = (page: IndexedPage, signature: string): Record<(typeof columns)[number], SQLInputValue> => ({
  item_id: Number(page.itemId),
  signature,
  state: page.state,
  tags: tagList(tagsIn(page.tags)),
  tag_keys: keyLines(tagsIn(page.tags)),
  site: page.site,
  time_added: page.timeAdded,
  article_bytes: page.articleBytes,
  change_key: page.changeKey,
});

/** The words of a URL as a person reads it. */
function readableUrl(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
