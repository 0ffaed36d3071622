// SPDX-License-Identifier: MIT

import { mapHashes } from "../../domain/article-pictures.ts";
import type { Item } from "../../domain/item.ts";
import { belongsTo, type KeptArticle } from "../../domain/kept-article.ts";
import { windowAt } from "../../domain/limits.ts";
import { isConfirmed, isExpired, type Share, sharedItems } from "../../domain/share.ts";
import { tagsIn } from "../../domain/tags.ts";
import { inTurns } from "../../domain/turns.ts";
import { ServiceError } from "../../errors.ts";
import type { ArticleStore } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore } from "../../ports/items.ts";
import type { PictureStore, StoredPicture } from "../../ports/pictures.ts";
import type { ShareStore } from "../../ports/shares.ts";
import type { User, UserStore } from "../../ports/users.ts";
import { findKept } from "./keep-article.ts";

/** The ports for reading shared pages. */
export type SharedPorts = Pick<
  Dependencies,
  "clock" | "isSharingOn" | "keyWindows" | "windowSeconds" | "addressLimit" | "wholeLists"
> & {
  shares: Pick<ShareStore, "find">;
  users: Pick<UserStore, "find">;
  items: Pick<ItemStore, "find">;
  articles: Pick<ArticleStore, "find">;
  pictureStore: Pick<PictureStore, "list" | "find"> | undefined;
};

export type SharedPage =
  /** `hashes`: the hashes of its saved pictures, by their addresses. */
  | { kind: "item"; item: Item; article: KeptArticle; hashes: ReadonlyMap<string, string> }
  /** The newest first. */
  | { kind: "tag"; tag: string; items: readonly Item[] };

/** The same for every reason, so that nobody learns whether a share ever was. */
export const noSuchPage = () => new ServiceError("notFound", "this page is not shared, or no longer shared");

/** Counts a reading of a share against its address. Throws `addressLimited`. */
export async function countReading(
  { keyWindows, windowSeconds, addressLimit, clock }: SharedPorts,
  address: string,
): Promise<void> {
  const now = unixTime(clock);
  const window = windowAt(now, windowSeconds);
  const { counted } = await keyWindows.countCall(`share ${address}`, window.start, addressLimit, 1);
  if (counted) return;
  const retryAfter = Math.max(1, window.start + windowSeconds - now);
  throw new ServiceError("addressLimited", "too many calls from your address; wait before trying again", {
    retryAfter,
  });
}

/** The content that a token shows to everybody (docs/api.md 4.17). Throws `notFound`. */
export async function readShare(deps: SharedPorts, token: string): Promise<SharedPage> {
  const { share, user } = await openShare(deps, token);
  const { target } = share;
  if (target.kind === "tag") return { kind: "tag", tag: target.tag, items: await findNewest(deps, user, target.tag) };
  const item = await openItem(deps, user, target);
  const article = await findKept(deps, user, item);
  if (!article) throw noSuchPage();
  const hashes = mapHashes((await deps.pictureStore?.list(user, item.itemId)) ?? []);
  return { kind: "item", item, article, hashes };
}

/** A kept picture of the article that a token shows. Throws `notFound`. */
export async function readSharedPicture(deps: SharedPorts, token: string, hash: string): Promise<StoredPicture> {
  const { share, user } = await openShare(deps, token);
  if (share.target.kind === "tag" || !deps.pictureStore) throw noSuchPage();
  // An article loses its pictures with it, so it need not be read for each of them.
  const item = await openItem(deps, user, share.target);
  const pictures = await deps.pictureStore.list(user, item.itemId);
  const found = pictures.some((each) => each.hash === hash) && (await deps.pictureStore.find(user.userId, hash));
  if (!found) throw noSuchPage();
  return found;
}

async function openShare(deps: SharedPorts, token: string): Promise<{ share: Share; user: User }> {
  const found = deps.isSharingOn ? await deps.shares.find(token) : undefined;
  if (!found || isExpired(found.share, unixTime(deps.clock))) throw noSuchPage();
  const user = await deps.users.find(found.username);
  if (user?.userId !== found.share.userId || !isConfirmed(found.share, user.clock)) throw noSuchPage();
  return { share: found.share, user };
}

async function openItem(
  deps: SharedPorts,
  user: User,
  { itemId, timeAdded }: { itemId: string; timeAdded: number },
): Promise<Item> {
  const item = (await deps.items.find(user.username, [itemId])).get(itemId);
  if (!item || item.isDeleted || !belongsTo({ timeAdded }, item)) throw noSuchPage();
  return item;
}

async function findNewest({ wholeLists }: SharedPorts, user: User, tag: string): Promise<Item[]> {
  const { items } = await wholeLists.read(user);
  const tagged: Item[] = [];
  for await (const part of inTurns(items.values())) {
    tagged.push(...part.filter(({ tags }) => tagsIn(tags).includes(tag)));
  }
  // By the time of saving, because the time of the last change would reveal what the user reads.
  return tagged.sort((one, other) => other.timeAdded - one.timeAdded).slice(0, sharedItems);
}
