// SPDX-License-Identifier: MIT

import { addNotice, noteFailure } from "../../call-scope.ts";
import {
  type ArticlePicture,
  afterFailure,
  findDrawings,
  findFailed,
  isDue,
  leftOut,
  listPictures,
  mapHashes,
  replaceImages,
} from "../../domain/article-pictures.ts";
import { describeDrawings, isDrawingKey } from "../../domain/drawing.ts";
import { escapeHtml } from "../../domain/escape.ts";
import type { Item } from "../../domain/item.ts";
import type { KeptArticle } from "../../domain/kept-article.ts";
import { chooseExpiry, signPicture } from "../../domain/picture-address.ts";
import type { TextView } from "../../domain/text-view.ts";
import { ServiceError } from "../../errors.ts";
import type { ArticleOwner } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { TrashStore } from "../../ports/items.ts";
import type { Turn } from "../../ports/pages.ts";
import { forEachInTime } from "../for-each.ts";
import type { Caller } from "../use-case.ts";
import { makeRoom } from "./make-room.ts";

/** The ports of keeping pictures. */
export type PicturePorts = Pick<Dependencies, "clock" | "isDiskFull" | "pictures" | "pictureStore" | "pictureQuota"> & {
  trash: Pick<TrashStore, "walk">;
};

export interface PictureOptions {
  /** The call of a user, for which pictures in the trash are dropped if the quota is full. Undefined: in the background. */
  call?: Turn;
  /** Milliseconds for which the pictures are awaited; those under way are kept later. */
  waitMs?: number;
  /** Reads pictures that are kept, or were left out, once more. */
  isReload?: boolean;
}

/** The kept pictures of an article. */
export interface KeptPictures {
  /** Their hashes by address. */
  hashes: Map<string, string>;
  /** The addresses of pictures that their sites do not serve. */
  failed: Set<string>;
  /** The quota is used up: some are left out until there is room. */
  isFull: boolean;
  /** Unix seconds from which the next one is to be read; undefined if no picture is left. */
  retryAt: number | undefined;
}

/** Pictures of an article that are read at once: for a person who waits, and in the background. */
const atOnceForCall = 4;
const atOnceInBackground = 2;
const backgroundMs = 120_000;

/**
 * Keeps the pictures of an article of a user that are not kept yet: each is fetched, re-encoded by the picture process,
 * and stored under its hash. Idempotent. A failure is remembered, and tried again three times within two days. A full
 * quota leaves pictures out. Throws `unauthorized` if the user was deleted, and the errors of the store.
 */
export async function keepPictures(
  deps: PicturePorts,
  owner: ArticleOwner,
  item: Pick<Item, "itemId" | "url">,
  article: Pick<KeptArticle, "less" | "more" | "imageUrl">,
  { call, waitMs = backgroundMs, isReload = false }: PictureOptions = {},
): Promise<KeptPictures> {
  const { clock, pictures: reader, pictureStore: store, pictureQuota: quota, trash } = deps;
  if (!store || !reader) return { ...toShown([]), isFull: false, retryAt: undefined };
  const { itemId } = item;
  const now = unixTime(clock);
  const urls = listPictures(article);
  const known = await readPictures(store, owner, itemId);
  const gone = [...known.keys()].filter((url) => !urls.includes(url));
  if (gone.length > 0) await store.forget(owner, itemId, gone);
  const due = urls.filter((url) => isReload || isDue(known.get(url), now));
  const drawings = due.length > 0 ? findDrawings(article) : new Map<string, Uint8Array>();

  let isOver = false;
  let isFull = due.length > 0 && (deps.isDiskFull?.() || (!call && (await store.bytes(owner)) >= quota));
  let making: Promise<unknown> = Promise.resolve();
  /** Makes room for one picture at a time: two at once would count the same part of the trash. */
  const keepInRoom = (keep: () => Promise<number | undefined>) => {
    const kept = making.then(async () => {
      const lacking = await keep();
      return lacking && (await makeRoom(trash, store, owner, lacking)) ? keep() : lacking;
    });
    making = kept.catch(() => {});
    return kept;
  };
  const keepOne = async (url: string) => {
    if (isOver || isFull) return;
    try {
      const turn = call ?? { address: "", user: owner.userId };
      const drawing = drawings.get(url);
      const content = await (drawing ? reader.toWebp(drawing, turn) : reader.webp(url, item.url, turn));
      if (!content) return await store.note(owner, itemId, leftOut(url));
      const keep = () => store.keep(owner, itemId, { url, content }, quota);
      let lacking = await keep();
      if (lacking && call) lacking = await keepInRoom(keep);
      if (lacking === undefined) isOver = true;
      else if (lacking > 0) isFull = true;
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "notFound")
        await store.note(owner, itemId, afterFailure(url, known.get(url), now));
      else if (error instanceof ServiceError && error.kind === "busy") isOver = true;
      else throw error;
    }
  };
  if (!isFull && due.length > 0) await forEachInTime(due, call ? atOnceForCall : atOnceInBackground, waitMs, keepOne);

  const found = due.length === 0 ? known : await readPictures(store, owner, itemId);
  const times = urls.map((url) => {
    const picture = found.get(url);
    return picture === undefined ? now : picture.hash === undefined ? picture.retryAt : undefined;
  });
  const next = Math.min(...times.filter((time) => time !== undefined));
  return { ...toShown([...found.values()]), isFull, retryAt: Number.isFinite(next) ? next : undefined };
}

const readPictures = async (store: NonNullable<PicturePorts["pictureStore"]>, owner: ArticleOwner, itemId: string) =>
  new Map((await store.list(owner, itemId)).map((picture) => [picture.url, picture]));

type Shown = Pick<KeptPictures, "hashes" | "failed">;

const toShown = (pictures: readonly ArticlePicture[]): Shown => ({
  hashes: mapHashes(pictures),
  failed: findFailed(pictures),
});

const storedPictures = async (
  { pictureStore }: Pick<PicturePorts, "pictureStore">,
  owner: ArticleOwner,
  { itemId }: Pick<Item, "itemId">,
) => toShown((await pictureStore?.list(owner, itemId)) ?? []);

/** The ports of a view with kept pictures. */
export type ShowingPorts = PicturePorts & Pick<Dependencies, "pictureWaitMs" | "signatureKey" | "textUrl">;

/**
 * The view of a kept article with addresses of saved pictures instead of other sites' addresses (docs/api.md 4.9). A
 * picture that its site does not serve becomes an empty link to it; other pictures without a copy are left out. Missing
 * pictures are saved now, for some seconds.
 */
export async function showKeptPictures(
  deps: ShowingPorts,
  { user, address, calledUrl }: Pick<Caller, "user" | "address" | "calledUrl">,
  item: Pick<Item, "itemId" | "url">,
  {
    article,
    view,
    isReload,
  }: { article: Pick<KeptArticle, "less" | "more" | "imageUrl">; view: TextView; isReload: boolean },
): Promise<TextView> {
  const call = { address, user: user.userId };
  const options = { call, waitMs: deps.pictureWaitMs, isReload };
  // A picture never refuses a text: after a failure, such as a full disk, those are shown that were kept before.
  const pictures = await keepPictures(deps, user, item, article, options).catch((error) => {
    noteFailure(error);
    addNotice("Some pictures could not be saved. Open the page again later.");
    return storedPictures(deps, user, item);
  });
  return withAddresses(deps, { user, calledUrl }, pictures, view);
}

/** The same, but only with pictures that are already saved. */
export async function showStoredPictures(
  deps: ShowingPorts,
  caller: Pick<Caller, "user" | "calledUrl">,
  item: Pick<Item, "itemId">,
  view: Pick<TextView, "html">,
): Promise<string> {
  return withAddresses(deps, caller, await storedPictures(deps, caller.user, item), view).html;
}

function withAddresses<View extends Pick<TextView, "html" | "imageUrl">>(
  deps: Pick<ShowingPorts, "clock" | "signatureKey" | "textUrl">,
  { user, calledUrl }: Pick<Caller, "user" | "calledUrl">,
  { hashes, failed }: Shown,
  view: View,
): View {
  const expires = chooseExpiry(unixTime(deps.clock));
  const key = deps.signatureKey("picture");
  const toAddress = (url: string) => {
    const hash = hashes.get(url);
    if (hash === undefined) return undefined;
    return `${deps.textUrl ?? calledUrl}/v2/picture?${signPicture(key, { userId: user.userId, hash, expires })}`;
  };
  const html = replaceImages(view.html, (url, tag, isLinked) => {
    const shown = toAddress(url);
    if (shown === undefined && isDrawingKey(url)) return describeDrawings(tag);
    if (shown !== undefined) return tag.replace(/ src="[^"]*"/, () => ` src="${escapeHtml(shown)}"`);
    if (isLinked || !failed.has(url)) return "";
    const [, text = ""] = / alt="([^"]*)"/.exec(tag) ?? [];
    return `<a href="${escapeHtml(url)}"${text && ` title="${text}"`}></a>`;
  });
  return { ...view, html, imageUrl: view.imageUrl && toAddress(URL.parse(view.imageUrl)?.href ?? "") };
}
