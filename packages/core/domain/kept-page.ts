// SPDX-License-Identifier: MIT

import type { ServiceSettings } from "../service-settings.ts";
import type { ArticleSummary } from "./article-summary.ts";
import { toSite } from "./hosts.ts";
import { importer } from "./import.ts";
import { findBelongingsTime, type Item } from "./item.ts";
import type { KeptArticle } from "./kept-article.ts";
import { startOfDay } from "./sign-in.ts";
import type { UserClock } from "./user-clock.ts";

/** `waiting`: the page will be read, perhaps again; `failed`: it could not be read. */
export const keptStates = ["kept", "waiting", "failed"] as const;
export type KeptState = (typeof keptStates)[number];

/** The state of the text of a page of a list (docs/api.md 4.16). Times are unix seconds. */
export interface KeptPage extends Partial<ArticleSummary> {
  itemId: string;
  state: KeptState;
  /** Why the last try failed, a clause in printable ASCII; empty if it did not. */
  error: string;
  /** Tries that have failed. */
  tries: number;
  /** The time from which there is work: to read the page or, if it has a saved copy, to complete the copy. */
  nextTry: number | undefined;
  site: string;
  /** The user has asked for it, so that it does not depend on `auto`. */
  isAsked: boolean;
  /** `findBelongingsTime` of its item. */
  timeAdded: number;
  timeUpdated: number;
}

/** A change of one page; without `after` the record is removed. */
export interface KeptPageChange {
  before: KeptPage | undefined;
  after: KeptPage | undefined;
}

/** Whether two records differ at most in the time of the change. */
export const isSamePage = (a: KeptPage | undefined, b: KeptPage | undefined): boolean =>
  a?.state === b?.state && a?.tries === b?.tries && a?.nextTry === b?.nextTry && a?.timeAdded === b?.timeAdded;

/** Whether clients see a change. */
export const isVisibleChange = ({ before, after }: KeptPageChange): boolean =>
  before?.state !== after?.state ||
  before?.error !== after?.error ||
  before?.words !== after?.words ||
  before?.excerpt !== after?.excerpt ||
  before?.image !== after?.image ||
  before?.timeAdded !== after?.timeAdded;

/** The time of a change at `now`: after every returned `since`, never before an earlier change. */
export const chooseKeptTime = (now: number, { lastSince, keptAt }: UserClock): number =>
  Math.max(now, lastSince + 1, keptAt);

/** Seconds for which a page counts as new. */
const newSeconds = 86_400;

/** Whether a page was saved just now. An import has the times of its pages, or comes by the operator's command. */
export const isNewPage = ({ applicationId, timeAdded }: Item, now: number): boolean =>
  applicationId !== importer && timeAdded > now - newSeconds;

/** Whether a record belongs to an item. */
export const isPageOf = (page: KeptPage | undefined, item: Item): boolean =>
  page?.timeAdded === findBelongingsTime(item);

/** The first record of an item, with work at `now`. */
export const newPage = (item: Item, state: "kept" | "waiting", now: number): KeptPage => ({
  itemId: item.itemId,
  state,
  error: "",
  tries: 0,
  nextTry: now,
  site: toSite(item),
  isAsked: false,
  timeAdded: findBelongingsTime(item),
  timeUpdated: 0,
});

/** Tries of a page, and the seconds before the second one, which grow sixfold: all of them take 43 hours. */
const maxTries = 5;
const firstBackoffSeconds = 600;

/** A page after a try that has failed, waiting with exponential backoff, or failed for good. */
export function afterFailure(page: KeptPage, error: string, isFinal: boolean, now: number): KeptPage {
  const tries = page.tries + 1;
  if (isFinal || tries >= maxTries) return { ...page, state: "failed", error, tries, nextTry: undefined };
  return { ...page, state: "waiting", error, tries, nextTry: now + firstBackoffSeconds * 6 ** (tries - 1) };
}

/** A page whose text is saved, after completing its copy has failed; after several attempts that is given up. */
export function afterLateFailure(page: KeptPage, now: number): KeptPage {
  const { tries, nextTry } = afterFailure(page, "", false, now);
  return { ...page, tries, nextTry };
}

/** A failed page that the user wants to be tried again. */
export const askedAgain = (page: KeptPage, now: number): KeptPage => ({
  ...page,
  state: "waiting",
  error: "",
  tries: 0,
  nextTry: now,
  isAsked: true,
});

/** Pages that are read for a user in a day (UTC). */
export const pagesOfDay = 500;

/** The pages that were read for a user on the day that begins at `day`. */
export interface KeepingOfDay {
  day: number;
  pages: number;
}

export const afterReading = (keeping: KeepingOfDay | undefined, now: number): KeepingOfDay => ({
  day: startOfDay(now),
  pages: (keeping?.day === startOfDay(now) ? keeping.pages : 0) + 1,
});

/** The share of the quota that is reserved for copies that the user saves. */
const reservedShare = 0.01;

/** Why no page is read for a user now; undefined if pages are. */
export function findStop(
  { articleBytes, keeping }: { articleBytes: number; keeping?: KeepingOfDay | undefined },
  { articleQuota }: Pick<ServiceSettings, "articleQuota">,
  now: number,
): "quota_full" | "day_full" | undefined {
  if (articleBytes >= articleQuota * (1 - reservedShare)) return "quota_full";
  return keeping?.day === startOfDay(now) && keeping.pages >= pagesOfDay ? "day_full" : undefined;
}

/** The record of a page whose article is being kept. There is more work: the copy is completed in the background. */
export const afterKeeping = (
  before: KeptPage | undefined,
  itemId: string,
  { resolvedUrl, keptAt, timeAdded }: Pick<KeptArticle, "resolvedUrl" | "keptAt" | "timeAdded">,
  summary: ArticleSummary,
  timeUpdated: number,
): KeptPage => ({
  site: toSite({ url: resolvedUrl }),
  isAsked: false,
  ...before,
  ...summary,
  itemId,
  state: "kept",
  error: "",
  tries: 0,
  nextTry: keptAt,
  timeAdded,
  timeUpdated,
});
