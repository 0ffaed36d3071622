// SPDX-License-Identifier: MIT

import { cpSync, existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { maxLeadSeconds } from "@reading-list/core/domain/user-clock.ts";
import type { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { type ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { HighlightReplica } from "@reading-list/testing/highlight-replica.ts";
import { prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import sharp from "sharp";
import { beforeAll, expect, inject, test, vi } from "vitest";

/** A page of the model, and its belongings. */
interface Page {
  place: "list" | "trash" | "nowhere";
  deletedAt: number;
  hasArticle: boolean;
  progress: string | undefined;
  /** The ids of the highlights. */
  marks: string[];
}

const newPage = (): Page => ({ place: "nowhere", deletedAt: 0, hasArticle: false, progress: undefined, marks: [] });

const pageCount = 3;
const secondsOfDay = 86_400;
const trashDays = 30;
const isOnDynamodb = inject("isOnDynamodb");

/** The commands of a page by its place: most of them change something. */
const ofPages = {
  nowhere: ["add", "add", "add", "mark"],
  list: ["add", "keep", "keep", "mark", "mark", "unmark", "progress", "delete", "delete", "restore"],
  trash: ["add", "keep", "mark", "progress", "restore", "restore", "purge", "purge", "expire"],
} as const;
/** Places of the service; files and backups are on one machine. */
const ofService = isOnDynamodb
  ? (["work", "kill", "expire"] as const)
  : (["work", "kill", "expire", "move", "backup", "restoreBackup"] as const);
type Command = (typeof ofPages)[Page["place"]][number] | "kill" | "work" | "move" | "backup" | "restoreBackup";

let origin: string;
let env: Record<string, string>;
/** The service of a run, which is replaced by a restart, a move or a restoration. */
let service: TestService;
let keeper: PageKeeper;

beforeAll(async () => {
  const picture = (width: number) =>
    sharp({ create: { width, height: 90, channels: 3, background: "#336699" } })
      .png()
      .toBuffer();
  const server = await startPageServer(async ({ url = "" }, response) => {
    const [, kind, number = ""] = /^\/(page|picture)-(\d)/.exec(url) ?? [];
    if (kind === "picture")
      response.writeHead(200, { "content-type": "image/png" }).end(await picture(100 + Number(number)));
    else
      response
        .writeHead(200, { "content-type": "text/html" })
        // Two pages share a picture.
        .end(
          `<article><h1>Title</h1>${prose}<img src="/picture-${Number(number) % 2}"><p>A body${number} of text.</p>${prose}</article>`,
        );
  });
  atEndOfFile(server.stop);
  origin = server.origin;
  env = { TEXT_ALLOWED_ORIGINS: origin, KEEP_PAGES: "opened" };
  // Commands have the clock of the machine, which no list may be ahead of.
  service = await open(new FakeClock(Math.floor(Date.now() / 1000) - 1000 * secondsOfDay));
});

const open = (clock: FakeClock, more: Record<string, string> = {}) =>
  startTestService({ ...env, ...more }, { clock, takeKeeper: (each) => (keeper = each) });

const urlOf = (page: number) => `${origin}/page-${page}`;

/** A user, and the pages of the user as they must be. */
class Run {
  pages = Array.from({ length: pageCount }, newPage);
  user: TestUser;
  #replica: HighlightReplica;
  readonly #items = new Map<string, ItemAnswer>();
  #since = "";
  #marks = 0;
  #backup: { file: string; pages: Page[] } | undefined;

  constructor(user: TestUser) {
    this.user = user;
    this.#replica = new HighlightReplica(user);
  }

  async do(command: Command, number: number): Promise<void> {
    const page = this.pages[number] as Page;
    const url = urlOf(number);
    const { user } = this;
    service.clock.advance(1);
    switch (command) {
      case "add":
        await user.add(url, { title: `A title${number}` });
        page.place = "list";
        return;
      case "keep":
        await user.call("article", { url, images: "kept" });
        page.hasArticle ||= page.place === "list";
        return;
      case "mark": {
        const id = `m${++this.#marks}`;
        const mark = { id, url, quote: "harbour", note: `A note${number}` };
        const { status } = await user.call("highlights", { save: JSON.stringify([mark]) });
        expect(status).toBe(page.place === "nowhere" ? 400 : 200);
        if (page.place !== "nowhere") page.marks.push(id);
        return;
      }
      case "unmark":
        if (page.place !== "list") return;
        await user.ok("highlights", { delete: JSON.stringify(page.marks.splice(-1)) });
        return;
      case "progress": {
        const progress = 1 + (Number(page.progress ?? 0) % 100);
        await user.send({ update_progress: [{ url, progress }] });
        if (page.place === "list") page.progress = String(progress);
        return;
      }
      case "delete":
        await user.send({ delete: [{ url }] });
        if (page.place === "list") Object.assign(page, { place: "trash", deletedAt: service.clock.seconds() });
        return;
      case "restore":
        await user.send({ restore: [{ url }] });
        if (page.place === "trash") page.place = "list";
        return;
      case "purge":
        await user.ok("trash", { purge: JSON.stringify([url]) });
        if (page.place === "trash") this.pages[number] = newPage();
        return;
      case "expire":
        return this.#expire();
      case "work":
        return work();
      case "kill":
        return this.#kill();
      case "move":
        return this.#move();
      case "backup":
        return this.#backUp();
      case "restoreBackup":
        return this.#restoreBackup();
    }
  }

  async #expire(): Promise<void> {
    service.clock.advance((trashDays + 1) * secondsOfDay);
    await this.#eraseOldTrash();
  }

  /** A day is erased when it is wholly over. */
  async #eraseOldTrash(): Promise<void> {
    const { trash, articles, highlights, items } = service.operator;
    const now = service.clock.seconds();
    await eraseOldTrash({ trash, articles, highlights, items }, permitAt(now));
    const isOld = ({ place, deletedAt }: Page) => place === "trash" && deletedAt < now - (trashDays + 1) * secondsOfDay;
    this.pages = this.pages.map((page) => (isOld(page) ? newPage() : page));
  }

  /** The memory of the process is lost, and the disk is as it was. */
  async #kill(): Promise<void> {
    const { clock } = service;
    if (isOnDynamodb) {
      const { TABLE_NAME, DATA_DIR } = service.env;
      await service.stop();
      await this.#use(await open(clock, { TABLE_NAME, DATA_DIR }));
    } else {
      const DATA_DIR = path.join(temporaryFolder(), "data");
      cpSync(service.env.DATA_DIR, DATA_DIR, { recursive: true, filter: (name) => !name.endsWith(".lock") });
      await service.stop();
      await this.#use(await open(clock, { DATA_DIR }));
    }
  }

  async #move(): Promise<void> {
    const { clock, env } = service;
    const target = await open(clock);
    const { username } = this.user.credentials;
    const moved = await runCommand(["move", username, "--from", env.DATA_DIR, "--to", target.env.DATA_DIR], {});
    expect([moved.code, moved.err]).toEqual([0, expect.anything()]);
    await service.stop();
    await this.#use(target);
  }

  async #backUp(): Promise<void> {
    const file = path.join(temporaryFolder(), "backup.db");
    const { code, err } = await runCommand(["backup", file], service.env);
    expect([code, err]).toEqual([0, expect.anything()]);
    this.#backup = { file, pages: structuredClone(this.pages) };
  }

  async #restoreBackup(): Promise<void> {
    if (!this.#backup) return;
    const { file, pages } = this.#backup;
    const DATA_DIR = temporaryFolder();
    const now = vi.spyOn(Date, "now").mockReturnValue(service.clock.now());
    const { code, err } = await runCommand(["restore", file, "--yes"], { DATA_DIR });
    now.mockRestore();
    expect([code, err]).toEqual([0, expect.anything()]);
    const { clock } = service;
    await service.stop();
    await this.#use(await open(clock, { DATA_DIR }));
    // The command has moved the logical clock, by which deletions are dated, ahead.
    clock.advance(2 * maxLeadSeconds);
    this.pages = structuredClone(pages);
    this.#replica = new HighlightReplica(this.user);
    this.#since = "";
    await this.#eraseOldTrash();
  }

  async #use(started: TestService): Promise<void> {
    service = started;
    const { username, password } = this.user.credentials;
    this.user = new TestUser(started, username, password);
    this.#replica.user = this.user;
  }

  /** Expects that everything that the service shows and stores of the user is as the pages say. */
  async check(): Promise<void> {
    await work();
    const { user, pages } = this;
    const inPlace = (place: Page["place"], has = (_: Page) => true) =>
      pages.flatMap((page, number) => (page.place === place && has(page) ? [urlOf(number)] : []));
    const items = await user.items();
    expect(items.map(({ url }) => url).sort()).toEqual(inPlace("list"));
    for (const [number, { place, progress }] of pages.entries())
      if (place === "list") expect(items.find(({ url }) => url === urlOf(number))?.progress).toBe(progress);
    const inTrash: { url: string }[] = Object.values((await user.ok("trash")).json().list);
    expect(inTrash.map(({ url }) => url).sort()).toEqual(inPlace("trash"));
    await this.#checkReplica(items);
    await this.#checkHighlights();
    await this.#checkArticles();
    const kept = (await user.ok("kept", {})).json();
    expect(
      new Map(Object.values<{ url: string; state: string }>(kept.list).map(({ url, state }) => [url, state])),
    ).toEqual(new Map(inPlace("list", ({ hasArticle }) => hasArticle).map((url) => [url, "kept"])));
    for (const number of pages.keys()) {
      const isHere = (has: (page: Page) => boolean) => inPlace("list", has).filter((url) => url === urlOf(number));
      expect(await this.#search(`title${number}`)).toEqual(isHere(() => true));
      expect(await this.#search(`body${number}`)).toEqual(isHere(({ hasArticle }) => hasArticle));
      expect(await this.#search(`note${number}`)).toEqual(isHere(({ marks }) => marks.length > 0));
    }
  }

  async #search(query: string): Promise<string[]> {
    const { list }: { list: { url: string }[] } = JSON.parse((await this.user.ok("search", { query })).body);
    return list.map(({ url }) => url);
  }

  /** A client that syncs has the list. */
  async #checkReplica(items: readonly ItemAnswer[]): Promise<void> {
    const answer = await this.user.get({ since: this.#since, deleted: 1, progress: 1, tags: 1 });
    if (answer.complete || this.#since === "") this.#items.clear();
    for (const [itemId, item] of Object.entries(answer.list)) this.#items.set(itemId, item);
    for (const itemId of Object.keys(answer.deleted ?? {})) this.#items.delete(itemId);
    this.#since = answer.since;
    expect([...this.#items.values()].sort(byUrl)).toEqual([...items].sort(byUrl));
  }

  async #checkHighlights(): Promise<void> {
    const marks = this.pages.flatMap((page) => (page.place === "list" ? page.marks : [])).sort();
    await this.#replica.sync();
    expect([...this.#replica.highlights.keys()].sort()).toEqual(marks);
    const { list } = (await this.user.ok("highlights", {})).json();
    expect(Object.keys(list).sort()).toEqual(marks);
  }

  /** Articles and pictures belong to the list and the trash, and count in the quotas. */
  async #checkArticles(): Promise<void> {
    const withArticle = this.pages.flatMap((page, number) => (page.hasArticle ? [number] : []));
    const { operator } = service;
    const record = await operator.findUser(this.user.credentials.username);
    if (!record) throw new Error("the user is gone");
    const sizes = await operator.articles.allSizes(record);
    expect([...sizes.keys()].sort()).toEqual(withArticle.map((number) => toItemId(urlOf(number))).sort());
    expect(record.articles).toBe(withArticle.length);
    expect(record.articleBytes).toBe([...sizes.values()].reduce((sum, bytes) => sum + bytes, 0));
    const parent = isOnDynamodb ? "objects/pictures" : "pictures";
    const folder = path.join(service.env.DATA_DIR, parent, record.userId);
    const pictures = new Set(withArticle.map((number) => number % 2)).size;
    expect(existsSync(folder) ? readdirSync(folder) : []).toHaveLength(pictures);
    expect((await operator.pictureStore.bytes(record)) > 0).toBe(pictures > 0);
  }
}

const byUrl = (one: ItemAnswer, other: ItemAnswer) => (one.url < other.url ? -1 : 1);

/** Lets the keeper derive its records, and complete what belongs to articles. */
async function work(): Promise<void> {
  // It notes the changes of the last seconds once more.
  for (let round = 0; round < 2; round++) {
    service.clock.advance(6);
    await keeper.round();
    await keeper.finish();
  }
}

const step = fc.record({ page: fc.nat(pageCount - 1), isOfService: fc.nat(4), choice: fc.nat(1000) });

test("whatever happens to pages, their belongings are in the list, in the trash, or deleted with them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 30 }), async (steps) => {
      const run = new Run(await service.newUser());
      const done: string[] = [];
      try {
        for (const [index, { page, isOfService, choice }] of steps.entries()) {
          const commands = isOfService === 0 ? ofService : ofPages[run.pages[page]?.place ?? "nowhere"];
          const command = commands[choice % commands.length] as Command;
          done.push(`${command} ${page}`);
          await run.do(command, page);
          if (index % 4 === 3) await run.check();
        }
        await run.check();
      } catch (cause) {
        throw new Error(done.join(", "), { cause });
      }
    }),
    runs(10),
  );
});
