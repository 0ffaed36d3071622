// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { hashApiKey } from "@reading-list/core/domain/applications.ts";
import type { Identity } from "@reading-list/core/domain/identity.ts";
import { toChangeKey } from "@reading-list/core/domain/item.ts";

/** The only place where key strings are built. Numbers are padded so that they sort as text. */

const paddedTime = (seconds: number) => String(Math.min(seconds, 999_999_999_999)).padStart(12, "0");

export const hashedApiKeyKey = (keyHash: string) => ({ pk: `KEY#${keyHash}`, sk: "KEY" });
export const apiKeyKey = (apiKey: string) => hashedApiKeyKey(hashApiKey(apiKey));
/** Where an operator finds the keys of all applications, or of one. */
export const keyListing = "KEYS";
export const keyListingKey = (applicationId: string, keyHash: string) => ({
  pk: keyListing,
  sk: `${applicationId}#${keyHash}`,
});
export const userKey = (username: string) => ({ pk: `USER#${username}`, sk: "USER" });
/** The keys of a user's records whose sort keys begin with a prefix. */
const keyWithPrefix = (prefix: string) => (username: string, id: string | number) => ({
  pk: userKey(username).pk,
  sk: `${prefix}${id}`,
});
export const itemPrefix = "ITEM#";
export const itemKey = keyWithPrefix(itemPrefix);
/** The record that names the item of a number. */
export const numberPrefix = "NUMBER#";
export const numberKey = keyWithPrefix(numberPrefix);
export const signInPrefix = "SIGNIN#";
export const signInKey = keyWithPrefix(signInPrefix);
export const passkeysPrefix = "PASSKEYS";
export const passkeysKey = (username: string) => ({ pk: userKey(username).pk, sk: passkeysPrefix });
export const highlightPrefix = "MARK#";
export const highlightKey = keyWithPrefix(highlightPrefix);
export const parseHighlightKey = (sk: string) => sk.slice(highlightPrefix.length);
/** The walks of a sign-in, or of the account's password, and the parts of each. */
export const walkPrefix = "WALK#";
export const walksKey = keyWithPrefix(walkPrefix);
export const walkKey = (username: string, owner: string, name: string, part: number) =>
  walksKey(username, `${owner}#${name}#${part}`);
/** The sizes of kept articles, whose texts are objects. */
export const articlePrefix = "ARTICLE#";
export const articleKey = keyWithPrefix(articlePrefix);
export const parseArticleKey = (sk: unknown) => String(sk).slice(articlePrefix.length);
/** The state of the text of a page. */
export const keptPagePrefix = "KEPT#";
export const keptPageKey = keyWithPrefix(keptPagePrefix);
export const parsePageKey = (sk: string) => sk.slice(keptPagePrefix.length);
/** The names of the objects of a user's articles; no later user has the `userId`. */
export const articleObjects = "articles/";
export const articleFolder = (userId: string) => `${articleObjects}${userId}/`;
/** The user of an article, or of a picture. */
export const parseObjectOwner = (name: string) => name.split("/")[1] ?? "";
export const articleObject = (userId: string, itemId: string) => `${articleFolder(userId)}${itemId}`;
/** The pictures of a user's articles: each of an article, each stored one, and the bytes of all. */
const pictureKey = (userId: string, sk: string) => ({ pk: `PICTURES#${userId}`, sk });
export const pictureTotalKey = (userId: string) => pictureKey(userId, "TOTAL");
const pictureFilePrefix = "FILE#";
export const pictureFileKey = (userId: string, hash: string) => pictureKey(userId, pictureFilePrefix + hash);
export const parseFileKey = (sk: string) => sk.slice(pictureFilePrefix.length);
export const articlePicturePrefix = (itemId: string) => `OF#${itemId}#`;
export const articlePictureKey = (userId: string, itemId: string, url: string) =>
  pictureKey(userId, articlePicturePrefix(itemId) + createHash("sha256").update(url).digest("base64url"));
/** The names of the objects of a user's pictures. */
export const pictureObjects = "pictures/";
export const pictureFolder = (userId: string) => `${pictureObjects}${userId}/`;
export const pictureObject = (userId: string, hash: string, id: string) => `${pictureFolder(userId)}${hash}-${id}`;
/** The name of the object of a user's search index. */
export const indexObject = (userId: string) => `indexes/${userId}`;
export const isUserKey = (sk: unknown) => sk === userKey("").sk;
export const isItemKey = (sk: unknown) => String(sk).startsWith(itemPrefix);
export const parseItemKey = (sk: string) => sk.slice(itemPrefix.length);
export const windowKey = (applicationId: string, windowStart: number) => ({
  pk: `LIMIT#${applicationId}`,
  sk: paddedTime(windowStart),
});
/** The time at which a window begins, of its sort key. */
export const parseWindowStart = (sk: string) => Number(sk);
export const loginAttemptsKey = (username: string, source: string) => ({ pk: `LOGIN#${username}`, sk: source });
/** The user of an identity at a provider of single sign-on, whose names may have any characters. */
export const identityKey = ({ issuer, subject }: Identity) => ({
  pk: `IDENTITY#${createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("base64url")}`,
  sk: "IDENTITY",
});
/** A share of a user, and the record that finds it by its token. */
export const sharePrefix = "SHARE#";
export const shareKey = keyWithPrefix(sharePrefix);
export const sharedKey = (token: string) => ({ pk: `SHARE#${token}`, sk: "SHARE" });
export const authorizationKey = (id: string) => ({ pk: `AUTHORIZATION#${id}`, sk: "AUTHORIZATION" });
/** Where the deletions of users are found that were begun and not ended. */
export const deletionListing = "DELETIONS";
export const deletionKey = (userId: string) => ({ pk: deletionListing, sk: userId });
/** Where a restore finds the users who were deleted; the records expire with the backups. */
export const deletedListing = "DELETED";
export const deletedKey = (userId: string) => ({ pk: deletedListing, sk: userId });
/** The keys of the days on which users deleted items, to erase pages after 30 days in the trash. */
export const trashListing = "TRASH";
export const trashKey = (day: number, userId: string) => ({ pk: trashListing, sk: `${paddedTime(day)}#${userId}` });
/** Where the keeper finds the users with work, by its time. */
export const keepingListing = "KEEPING";
export const keepingKey = (time: number, userId: string) => ({
  pk: keepingListing,
  sk: `${paddedTime(time)}#${userId}`,
});
export const lastDueKeeping = (time: number) => keepingKey(time, "~").sk;
/** The time and the user of a key of these two listings. */
export const parseListingKey = (sk: unknown) => ({
  time: Number(String(sk).slice(0, paddedTime(0).length)),
  userId: String(sk).slice(paddedTime(0).length + 1),
});
export const maintenanceKey = { pk: "SETTING", sk: "MAINTENANCE" };
export const clockKey = { pk: "SETTING", sk: "CLOCK" };
export const indexWalkKey = { pk: "SETTING", sk: "INDEX_WALK" };
export const moveTimeKey = { pk: "SETTING", sk: "MOVE_TIME" };
export const dataVersionKey = { pk: "SETTING", sk: "DATA_VERSION" };

/** Prefix of tombstones in the index: they sort after all items, so that lists do not read them. */
export const deletedPrefix = "deleted#";

/** Prefixes of highlights, and of their tombstones, in the index of changes: they sort after all items and deletions. */
export const changedHighlights = { live: "mark#", deleted: "mark#deleted#" };

/** Prefix of kept pages in the index of changes: they sort after all items and deletions, before highlights. */
export const changedPages = "kept#";
export const pageChangeKey = (time: number, itemId: string) =>
  `${changedPages}${String(Math.min(time, 9_999_999_999)).padStart(10, "0")}#${itemId}`;

/** The highlights of an item in the index of unread items, after all of those. */
export const itemHighlightsPrefix = (itemId: string) => `mark#${itemId}#`;

/** Pages with work in the index of unread items, by its time: they sort after all of those. */
export const duePage = (time: number, itemId: string) => `${changedPages}${paddedTime(time)}#${itemId}`;

/** Sorts after every change key, and before every deleted item. */
export const listEnd = ":";

/** The first possible change key after all changes of `time`. */
export const firstKeyAfter = (time: number) => toChangeKey(time + 1, 0, 0);

/** The last possible change key up to and including all changes of `time`. */
export const lastKeyUpTo = (time: number) => toChangeKey(time, 9_999_999_999, 99);

/** Sorts directly before `key`, after every smaller change key. */
export const keyBefore = (key: string) =>
  `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}~`;
