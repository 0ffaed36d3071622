// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { emptyTally, runCall } from "../../call-scope.ts";
import { listPictures } from "../../domain/article-pictures.ts";
import { summarise } from "../../domain/article-summary.ts";
import { findBelongingsTime, type Item } from "../../domain/item.ts";
import type { KeptArticle } from "../../domain/kept-article.ts";
import {
  afterFailure,
  afterLateFailure,
  findStop,
  isNewPage,
  isPageOf,
  type KeptPage,
  type KeptPageChange,
  newPage,
} from "../../domain/kept-page.ts";
import { splitList } from "../../domain/split-list.ts";
import { ServiceError } from "../../errors.ts";
import type { ArticleOwner, ArticleStore } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore } from "../../ports/items.ts";
import type { KeeperStore, KeptPageStore, WaitingUser } from "../../ports/kept-pages.ts";
import type { SettingStore } from "../../ports/maintenance.ts";
import type { PageReader } from "../../ports/pages.ts";
import type { User, UserStore } from "../../ports/users.ts";
import type { ServiceSettings } from "../../service-settings.ts";
import { itemIn } from "../lists/change-item.ts";
import { findKept, ownsArticle, toKeptArticle } from "./keep-article.ts";

export interface KeeperPorts extends ServiceSettings, Pick<Dependencies, "clock" | "isDiskFull"> {
  users: Pick<UserStore, "find">;
  items: Pick<ItemStore, "find">;
  articles: Pick<ArticleStore, "find" | "keep" | "sizes" | "delete">;
  keptPages: Pick<KeptPageStore, "find" | "write">;
  keeper: KeeperStore;
  reader: Pick<PageReader, "readArticle">;
  settings: Pick<SettingStore, "maintenance">;
  /** Pages that are read at once; for each site one at a time, with a pause of 2 s. */
  pagesAtOnce: number;
  /** Milliseconds between two passes through all users if the first one found no work, because a pass costs reads. Default: 0. */
  restMs?: number;
  /**
   * Keeps the pictures of an article that is kept; undefined if pictures are not kept. `retryAt`: unix seconds from which
   * the rest is to be read. If it throws, it is tried again.
   */
  keepPictures?: (owner: ArticleOwner, item: Item, article: KeptArticle) => Promise<{ retryAt: number | undefined }>;
  /** Called with failures of the service itself, after which the work is tried again. */
  onFailure?: (error: unknown) => void;
}

/**
 * The bounds of a keeper in a function of a stage, whose extraction function has 100 executions for all callers
 * (docs/aws/capacity.md, Pages in the background).
 */
export const boundsOfStage = { pagesAtOnce: 30, restMs: 2000 } as const;

/** Milliseconds after a page of a site before the next one is read. */
const pauseMs = 2000;

/** Seconds after which a page is tried again if no worker was free, or after a failure of the service. */
const busySeconds = 30;

/**
 * Milliseconds for which a user all of whose sites are busy is skipped, for each group of users in the pass, and at most:
 * if many users wait for a few sites, only some of them are read again each second.
 */
const skippedMsOfGroup = 1000;
const maxSkippedMs = 30_000;

/** Groups of users that are searched for work at once; the next groups have their turn a second later. */
const maxGroups = 20;

/** Milliseconds for the work on one page; a page is read for 10 s at most. */
const pageMs = 120_000;

/** The address of the page reader's turns: the keeper has a worker at most, and never the turn of a caller. */
const address = "keeper";

/** Changes that are written in one transaction. */
const changesAtOnce = 200;

/** A pass through the users with work: each user has one turn in it. */
interface Pass {
  /** Users whose turn is next. */
  users: WaitingUser[];
  /** The position after them in the listing; undefined if no others follow. */
  next: string | undefined;
  /** Users who had a turn in an earlier pass, after all others. */
  last: WaitingUser[];
  groups: number;
  hasBegunWork: boolean;
  /** Work may wait for a site that was busy. */
  isWaiting: boolean;
}

/**
 * Keeps pages in the background after they were saved. It follows lists like a syncing client, so writes to a list do
 * not depend on it, and interrupted work is repeated.
 */
export class PageKeeper {
  readonly #deps: KeeperPorts;
  /** The sites whose pages are being read, and the times in milliseconds at which the others can be called again. */
  readonly #sites = new Map<string, number>();
  /** The work under way, by user and page. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** The number of the last turn of a user, by id. */
  readonly #turns = new LRUCache<string, number>({ max: 10_000 });
  #turn = 0;
  #pass: Pass | undefined;
  /** When the next pass may begin, in milliseconds. */
  #nextPassAt = 0;
  /** A whole pass has found no work, and none that waits for a site. */
  #isIdle = false;
  /** Users who are skipped for a time, by id, and until when in milliseconds. */
  readonly #skipped = new LRUCache<string, number>({ max: 100_000 });
  #round: Promise<void> | undefined;
  #beginning: Promise<unknown> = Promise.resolve();
  readonly #stopping = new AbortController();
  #isEnding = false;

  constructor(deps: KeeperPorts) {
    this.#deps = deps;
  }

  /** Notes changes and starts the work that is due, unless a round is in progress. */
  round(): Promise<void> {
    this.#round ??= runCall(emptyTally(), () => this.#doRound(), pageMs).finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Waits for the work in progress, for the search for more that follows it, and for the work that this begins. */
  async finish(): Promise<void> {
    let beginning: Promise<unknown>;
    do {
      beginning = this.#beginning;
      await Promise.all([beginning, ...this.#underWay.values()]);
    } while (beginning !== this.#beginning || this.#underWay.size > 0);
  }

  /**
   * Works in rounds, a second apart, until nothing is due, or for some milliseconds; then the work in progress
   * finishes. A pass that the last run left is continued, and only a pass of this run decides that nothing is due.
   */
  async workFor(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    this.#isIdle = false;
    this.#nextPassAt = 0;
    if (this.#pass) this.#pass.hasBegunWork = true;
    do await this.round();
    while ((this.#underWay.size > 0 || !this.#isIdle) && performance.now() < end && (await pause(1000, true)));
    this.#isEnding = true;
    await this.finish();
    this.#isEnding = false;
  }

  /** Gives up the pages that are being read; they are read again after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#round?.catch(() => {});
    await this.finish();
  }

  async #doRound(): Promise<void> {
    this.#isIdle = !(await this.#isWorking());
    if (this.#isIdle) return;
    for await (const user of this.#deps.keeper.changedUsers()) {
      if (this.#stopping.signal.aborted) return;
      await this.#noteChanges(user);
    }
    await this.#beginWork();
  }

  async #noteChanges(user: User): Promise<void> {
    const { keeper } = this.#deps;
    for await (const items of keeper.changes(user)) await this.#note(user, items);
    await keeper.setNoted(user);
  }

  #isWorking = async () =>
    !this.#stopping.signal.aborted &&
    !this.#isEnding &&
    !this.#deps.isDiskFull?.() &&
    (await this.#deps.settings.maintenance()) === undefined;

  /** Creates records for pages that are new in a list, and removes the records of pages that have left it. */
  async #note(user: User, items: readonly Item[]): Promise<void> {
    const { clock, keptPages, articles } = this.#deps;
    const now = unixTime(clock);
    for (const part of splitList(items, changesAtOnce)) {
      const ids = part.map(({ itemId }) => itemId);
      const [known, sizes] = await Promise.all([keptPages.find(user, ids), articles.sizes(user, ids)]);
      const changes = part.flatMap((item): KeptPageChange[] => {
        const before = known.get(item.itemId);
        if (item.isDeleted ? !before : isPageOf(before, item)) return [];
        const after = this.#createPage(user, item, sizes.has(item.itemId), now);
        return before || after ? [{ before, after }] : [];
      });
      if (changes.length > 0) await keptPages.write(user, changes, now);
    }
  }

  #createPage(user: User, item: Item, hasArticle: boolean, now: number): KeptPage | undefined {
    if (item.isDeleted) return undefined;
    if (hasArticle) return newPage(item, "kept", now);
    return this.#isAuto(user) && isNewPage(item, now) ? newPage(item, "waiting", now) : undefined;
  }

  #isAuto = ({ keepsPages }: User) => keepsPages ?? this.#deps.keepsPages;

  /** Begins as much work as there is room for, one piece after the other, so that none is begun twice. */
  #beginWork(): Promise<void> {
    const beginning = this.#beginning.then(async () => {
      while (this.#underWay.size < this.#deps.pagesAtOnce && (await this.#isWorking()) && (await this.#beginNext()));
    });
    this.#beginning = beginning.catch(() => {});
    return beginning;
  }

  /**
   * Begins work for the user whose last turn is longest ago; false if nobody has work now. Users are read in groups, once
   * in a pass, so that a page does not cost a look at all users who wait.
   */
  async #beginNext(): Promise<boolean> {
    const { clock } = this.#deps;
    if (!this.#pass && clock.now() < this.#nextPassAt) return false;
    for (let group = 0; group < maxGroups; group++) {
      this.#pass ??= this.#newPass();
      const pass = this.#pass;
      for (let user = pass.users.shift(); user; user = pass.users.shift()) {
        if (!(await this.#beginFor(user, pass))) continue;
        pass.hasBegunWork = true;
        return true;
      }
      if (pass.groups === 0 || pass.next !== undefined) {
        await this.#readGroup(pass);
        continue;
      }
      if (pass.last.length > 0) {
        const findTurn = ({ userId }: User) => this.#turns.get(userId) ?? 0;
        pass.users = pass.last.splice(0).sort((one, other) => findTurn(one) - findTurn(other));
        continue;
      }
      this.#pass = undefined;
      if (pass.hasBegunWork) continue;
      this.#isIdle = !pass.isWaiting;
      this.#nextPassAt = clock.now() + (this.#deps.restMs ?? 0);
      return false;
    }
    return false;
  }

  #newPass(): Pass {
    for (const [site, freeAt] of this.#sites) if (freeAt <= this.#deps.clock.now()) this.#sites.delete(site);
    return { users: [], next: undefined, last: [], groups: 0, hasBegunWork: false, isWaiting: this.#sites.size > 0 };
  }

  async #readGroup(pass: Pass): Promise<void> {
    const { clock, keeper } = this.#deps;
    const isSkipped = (userId: string) => {
      const skips = (this.#skipped.get(userId) ?? 0) > clock.now();
      pass.isWaiting ||= skips;
      return skips;
    };
    const { users, next } = await keeper.usersWithWork(unixTime(clock), pass.next, isSkipped);
    const { true: last = [], false: first = [] } = Object.groupBy(users, ({ userId }) => `${this.#turns.has(userId)}`);
    pass.last.push(...last);
    Object.assign(pass, { users: first, next, groups: pass.groups + 1 });
  }

  /** Begins the work of a user that is due first, of a site that is not busy; false if nothing is due. */
  async #beginFor(user: WaitingUser, { groups }: Pass): Promise<boolean> {
    const { clock, keeper } = this.#deps;
    if (user.hasChanged) await this.#noteChanges(user);
    // A page that was noted just now is due now.
    const now = unixTime(clock);
    const reads = findStop(user, this.#deps, now) ? "none" : this.#isAuto(user) ? "all" : "asked";
    const busySites = [...this.#sites].flatMap(([site, freeAt]) => (freeAt > clock.now() ? [site] : []));
    const page = await keeper.nextWork(user, now, { busySites, reads });
    const key = `${user.userId} ${page?.itemId}`;
    if (!page || this.#underWay.has(key)) {
      if (groups > 1) this.#skipped.set(user.userId, clock.now() + Math.min(maxSkippedMs, groups * skippedMsOfGroup));
      return false;
    }
    this.#turns.set(user.userId, ++this.#turn);
    this.#sites.set(page.site, Number.POSITIVE_INFINITY);
    const work = runCall(emptyTally(), () => this.#workOn(user, page), pageMs)
      .catch((error) => this.#putOff(user, page, error))
      // If that fails, too, the next try waits as long as the site.
      .catch(() => true)
      .then(async (hasAsked) => {
        if (hasAsked) this.#sites.set(page.site, clock.now() + pauseMs);
        else this.#sites.delete(page.site);
        this.#underWay.delete(key);
        await this.#beginWork().catch(() => {});
      });
    this.#underWay.set(key, work);
    return true;
  }

  /** Reads a page, or completes its copy. True if its site was called. */
  async #workOn({ username, userId }: User, page: KeptPage): Promise<boolean> {
    const { clock, users, items, articles, keptPages } = this.#deps;
    const user = await users.find(username);
    if (user?.userId !== userId) return false;
    const write = (after: KeptPage | undefined) => keptPages.write(user, [{ before: page, after }], unixTime(clock));
    const item = await itemIn(items, user, page.itemId);
    if (!item || !isPageOf(page, item)) {
      await write(undefined);
      return false;
    }
    const article = await findKept({ articles }, user, item);
    if (article) return this.#complete(user, item, article, page);
    if (page.state === "kept") {
      await write(this.#createPage(user, item, false, unixTime(clock)));
      return false;
    }
    const read = await this.#read(user, item, page);
    if (this.#stopping.signal.aborted) return true;
    if (!("article" in read)) {
      await write(read.page);
      return true;
    }
    const kept = (await keptPages.find(user, [page.itemId])).get(page.itemId);
    if (kept) await this.#complete(user, item, read.article, kept);
    return true;
  }

  /** Delays the next try of a page after a failure, so that the keeper does not begin the same work again and again. */
  async #putOff(user: WaitingUser, page: KeptPage, error: unknown): Promise<boolean> {
    if (this.#stopping.signal.aborted) return true;
    const { clock, keptPages, onFailure } = this.#deps;
    onFailure?.(error);
    const now = unixTime(clock);
    const after = isPassing(error) ? triedAgainSoon(page, now) : afterUnreadable(page, now);
    await keptPages.write(user, [{ before: page, after }], now);
    return true;
  }

  /** Reads a page and keeps its article; or the record of the page after a failure. */
  async #read(user: User, item: Item, page: KeptPage): Promise<{ article: KeptArticle } | { page: KeptPage }> {
    const { clock, articles, articleQuota, keeper, reader } = this.#deps;
    const failed = (error: string, isFinal: boolean) => ({
      page: afterFailure(page, error, isFinal, unixTime(clock)),
    });
    try {
      const reading = reader.readArticle(item.url, {}, { address, user: user.userId });
      const views = await untilAborted(reading, this.#stopping.signal);
      await keeper.countReading(user, unixTime(clock));
      const there = await findKept({ articles }, user, item);
      if (there) return { article: there };
      const article = toKeptArticle(item, views, unixTime(clock));
      if (article.less === "" && article.more === "") return failed("has no text", true);
      if (await articles.keep(user, item.itemId, article, articleQuota)) {
        return failed("does not fit into the quota of saved copies", false);
      }
      return (await ownsArticle(this.#deps, user, item.itemId, article)) ? { article } : { page };
    } catch (error) {
      const isOurs = !(error instanceof ServiceError) || error.kind === "unavailable";
      if (isOurs && !this.#stopping.signal.aborted) this.#deps.onFailure?.(error);
      if (isPassing(error)) return { page: triedAgainSoon(page, unixTime(clock)) };
      if (!this.#stopping.signal.aborted) await keeper.countReading(user, unixTime(clock));
      if (!(error instanceof ServiceError) || isOurs) return { page: afterUnreadable(page, unixTime(clock)) };
      return failed(error.message.replace(/^(url|article:) /, ""), !error.isTemporary);
    }
  }

  /** Writes the summary of a saved article if it is missing, then saves its pictures. */
  async #complete(user: User, item: Item, article: KeptArticle, page: KeptPage): Promise<boolean> {
    const { clock, keptPages, keepPictures } = this.#deps;
    const summary = page.words === undefined ? summarise(article) : {};
    const done: KeptPage = {
      ...page,
      ...summary,
      state: "kept",
      error: "",
      tries: 0,
      nextTry: undefined,
      timeAdded: findBelongingsTime(item),
    };
    let after = done;
    try {
      after = { ...done, nextTry: (await keepPictures?.(user, item, article))?.retryAt };
    } catch (error) {
      if (this.#stopping.signal.aborted) return true;
      this.#deps.onFailure?.(error);
      after = afterLateFailure({ ...done, tries: page.state === "kept" ? page.tries : 0 }, unixTime(clock));
    }
    await keptPages.write(user, [{ before: page, after }], unixTime(clock));
    return keepPictures !== undefined && listPictures(article).length > 0;
  }
}

/** Whether the service fails only now: its workers are busy, or its database does not answer. */
const isPassing = (error: unknown) =>
  error instanceof ServiceError && ["busy", "diskFull", "unavailable"].includes(error.kind) && error.isTemporary;

const triedAgainSoon = (page: KeptPage, now: number): KeptPage => ({ ...page, nextTry: now + busySeconds });

/** A page that this release cannot read, or whose saved copy is damaged: another release, or a new copy, may be readable. */
const afterUnreadable = (page: KeptPage, now: number): KeptPage =>
  page.state === "kept" ? afterLateFailure(page, now) : afterFailure(page, "could not be read", false, now);

/** Rejects once `signal` is aborted. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  // After the signal its failure does not matter.
  work.catch(() => {});
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
