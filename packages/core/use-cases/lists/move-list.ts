// SPDX-License-Identifier: MIT

import { createHash, hash, randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { Highlight } from "../../domain/highlights.ts";
import { type Item, isInTrash } from "../../domain/item.ts";
import { parseWebUrl } from "../../domain/page-fields.ts";
import { ServiceError } from "../../errors.ts";
import type { ArticleOwner } from "../../ports/articles.ts";
import { emptyRecord, type OperatorStore, type UserRecord } from "../../ports/operator.ts";
import type { PictureStore } from "../../ports/pictures.ts";
import type { ClosedUser } from "../../ports/users.ts";
import { copyArticle } from "../articles/copy-article.ts";
import { findLeftBehind, type LeftBehind } from "./left-behind.ts";

/** The outcome of a move. `notMoved`: data that the target lacks. */
export type MoveOutcome =
  /** The list is there. `items` are its items, `sha256` their checksum, which was verified. */
  | { kind: "moved"; items: number; sha256: string; notMoved: LeftBehind }
  /** An earlier move brought it, and nothing has changed in the source since. */
  | { kind: "movedBefore"; notMoved: LeftBehind }
  /**
   * An earlier move copied it. Only the password or `lastSince` have changed in the source since then, and were copied.
   */
  | { kind: "updated"; notMoved: LeftBehind }
  /** The user does not exist in the source, or is being deleted or moved there. */
  | { kind: "missing" }
  /** The target has another user of that name. */
  | { kind: "taken" }
  /** Another command moves the user, too, or deletes the user in the target. */
  | { kind: "overtaken" }
  /** An earlier move copied the list. Since then it was changed in the source, and changed or synced in the target. */
  | { kind: "diverged" }
  /** The source has records that no service wrote: it is another server, or damaged. */
  | { kind: "invalid" }
  /** The list in the source never stopped changing. */
  | { kind: "busy" }
  /** The user's record in the source counts other items than there are. */
  | { kind: "drifted" }
  /** The target does not hold the items that were written to it. */
  | { kind: "corrupt" };

/** Seconds that the longest move may take. */
const maxMoveSeconds = 86_400;

/** Copies before a move of a list that keeps changing gives up. */
const maxCopies = 5;

/**
 * Copies a user and the list from one database to another: password, identities, times, ids, order, logical clock and kept
 * articles, so that clients go on with the same `since`. The source is only read. Idempotent: a move that was interrupted
 * is continued, and one that was completed is repeated if the list was only used in the source since.
 *
 * The user cannot log in to the target until the list is whole there, and verified (docs/decisions/operators-command-line.md).
 */
export async function moveList(
  from: OperatorStore,
  to: OperatorStore,
  username: string,
  now: number,
  show: (copied: number, total: number) => void,
): Promise<MoveOutcome> {
  // The trash as of the latest end of the move, so that no item leaves it while it is copied and compared.
  const later = now + maxMoveSeconds;
  let source = await from.findUser(username);
  if (source?.passwordHash === undefined) return { kind: "missing" };
  if (!isValidUser(source, username)) return { kind: "invalid" };
  const target = await to.findUser(username);
  if (target && !isSameUser(source, target)) return { kind: "taken" };
  if (target?.passwordHash !== undefined && target.moved) {
    const { revision, passwordDigest = digestPassword(target.passwordHash) } = target.moved;
    const isReplaced = digestPassword(hashToBring(source)) !== passwordDigest;
    // The user has chosen a password in the target since.
    const isReplacedHere = digestPassword(target.passwordHash) !== passwordDigest;
    if (isReplacedHere && (isReplaced || revision !== source.revision)) return { kind: "diverged" };
    const hasSameNumbers = readNumber(source) === readNumber(target.moved);
    if (revision === source.revision && hasSameNumbers) {
      const counts = await copyArticles(from, source, to, target);
      return updateRecord(from, source, to, { ...target, ...counts }, isReplaced);
    }
  }
  const id = randomUUID();
  const moving = { id, since: now };
  if (target && !target.moving && !isUntouched(target)) return { kind: "diverged" };
  const locked: UserRecord = target
    ? { ...target, moving, passwordHash: undefined }
    : { ...emptyRecord, username, userId: source.userId, userSince: source.userSince, moving };
  if (!(await to.replaceUser(target, locked))) return { kind: "diverged" };

  for (let copy = 1; copy <= maxCopies; copy++) {
    const total = source.countUnread + source.countRead;
    let isOvertaken = false;
    let isValid = true;
    const copied = await digestList(from, username, later, async (records, items) => {
      isValid &&= records.every(isValidItem);
      if (!isValid) return;
      isOvertaken ||= !(await to.writeRecords(username, id, records));
      const deleted = records
        .filter(({ isDeleted, trashedState }) => isDeleted && trashedState === undefined)
        .map(({ itemId }) => itemId);
      if (target && deleted.length > 0) await to.articles.delete(locked, deleted);
      show(items, total);
    }).catch(undefinedIfUnreadable);
    const marked = await digestHighlights(from, source, async (highlights) => {
      isValid &&= highlights.every(isValidHighlight);
      if (isValid) isOvertaken ||= !(await to.writeHighlights(locked, id, highlights));
    }).catch(undefinedIfUnreadable);
    if (!isValid || !copied || !marked) return { kind: "invalid" };
    if (isOvertaken) return { kind: "overtaken" };
    const before: UserRecord = source;
    source = await from.findUser(username);
    if (source?.passwordHash === undefined) return { kind: "missing" };
    if (source.revision !== before.revision || readNumber(source) !== readNumber(before)) continue;
    if (copied.unread !== source.countUnread || copied.read !== source.countRead) return { kind: "drifted" };
    if (marked.size !== source.highlights) return { kind: "drifted" };
    const { items, sha256 } = await digestList(to, username, later);
    if (items !== copied.items || sha256 !== copied.sha256) return { kind: "corrupt" };
    const written = await digestHighlights(to, source);
    if (written.size !== marked.size || written.sha256 !== marked.sha256) return { kind: "corrupt" };
    const { revision, lastSince, lastNumber } = source;
    const passwordHash = hashToBring(source);
    const moved = { revision, lastSince, lastNumber, passwordDigest: digestPassword(passwordHash) };
    const { articles, articleBytes } = await copyArticles(from, source, to, locked);
    if (!(await copyIdentities(from, source, to, locked))) return { kind: "overtaken" };
    const whole = { ...source, passwordHash, hasPasskeys: undefined, articles, articleBytes, moving: undefined, moved };
    const notMoved = await findLeftBehind(from, source);
    return (await to.replaceUser(locked, whole)) ? { kind: "moved", items, sha256, notMoved } : { kind: "overtaken" };
  }
  return { kind: "busy" };
}

/**
 * Copies saved copies that are newer than the target's, and pictures that the target lacks; returns the counts of the
 * target's record.
 */
async function copyArticles(from: OperatorStore, source: UserRecord, to: OperatorStore, target: UserRecord) {
  for await (const { itemId, article } of from.articles.walk(source)) {
    await copyArticle(to.articles, target, itemId, article, Number.MAX_SAFE_INTEGER);
    await copyPictures(from.pictureStore, to.pictureStore, target, itemId);
  }
  const { articles = 0, articleBytes = 0 } = (await to.findUser(target.username)) ?? {};
  return { articles, articleBytes };
}

/** Links the user's identities, but none that another user of the target has; false if the target's record is another one now. */
async function copyIdentities(from: OperatorStore, source: UserRecord, to: OperatorStore, target: UserRecord) {
  try {
    for (const identity of await from.identities.list(source)) await to.identities.link(identity, target);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** Ends the copy at a record that the store cannot parse. */
function undefinedIfUnreadable(error: unknown): undefined {
  if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
}

const isValidUser = (user: UserRecord, username: string) =>
  user.username === username &&
  typeof user.passwordHash === "string" &&
  [
    user.userSince,
    user.countUnread,
    user.countRead,
    user.lastSince,
    user.changedAt,
    user.highlightsAt,
    user.keptAt,
    user.revision,
  ].every(isWhole);

const isValidItem = ({ itemId, url, title, tags, timeAdded, timeUpdated }: Item) =>
  /^\d{1,16}$/.test(itemId) &&
  parseWebUrl(url) !== undefined &&
  [title, tags].every((text) => typeof text === "string") &&
  [timeAdded, timeUpdated].every(isWhole);

const isValidHighlight = ({ id, itemId, quote, note, timeCreated, timeUpdated }: Highlight) =>
  [id, quote, note].every((text) => typeof text === "string") &&
  /^\d{1,16}$/.test(itemId) &&
  [timeCreated, timeUpdated].every(isWhole);

const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 0;

const isSameUser = (source: UserRecord, target: UserRecord) =>
  source.userId === target.userId && target.deletingSince === undefined;

/** Whether a list was not used since a move brought it. */
const isUntouched = ({ moved, revision, lastSince, lastNumber }: UserRecord) =>
  moved?.revision === revision && moved.lastSince === lastSince && readNumber(moved) === readNumber({ lastNumber });

const readNumber = ({ lastNumber = 0 }: Pick<UserRecord, "lastNumber">) => lastNumber;

/** The argon2id hash of no password: bytes that are all 0. */
const hashOfNoPassword = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;

/**
 * Passkeys work only for the host for which they were created. An account that needs a passkey is moved without a
 * password: until an administrator gives it a new one, its user can sign in only by single sign-on.
 */
const hashToBring = ({ hasPasskeys, passwordHash }: UserRecord) => (hasPasskeys ? hashOfNoPassword : passwordHash);

/** Tells whether a password was replaced, without a second copy of its hash. */
const digestPassword = (passwordHash = "") => hash("sha256", passwordHash, "base64url");

/** Brings a replaced password and a later `lastSince` to a list that was moved before and is the same in the source. */
async function updateRecord(
  from: OperatorStore,
  source: UserRecord,
  to: OperatorStore,
  target: UserRecord,
  isReplaced: boolean,
): Promise<MoveOutcome> {
  const lastSince = Math.max(source.lastSince, target.lastSince);
  const notMoved = await findLeftBehind(from, source);
  if (!isReplaced && lastSince === target.lastSince) return { kind: "movedBefore", notMoved };
  const wasSynced = target.lastSince !== target.moved?.lastSince;
  const moved = {
    revision: source.revision,
    lastNumber: source.lastNumber,
    lastSince: wasSynced ? Number(target.moved?.lastSince) : lastSince,
    passwordDigest: digestPassword(hashToBring(source)),
  };
  const passwordHash = isReplaced ? hashToBring(source) : target.passwordHash;
  const isUpdated = await to.replaceUser(target, { ...target, passwordHash, lastSince, moved });
  return isUpdated ? { kind: "updated", notMoved } : { kind: "overtaken" };
}

/**
 * Reads all items of a list and the tombstones. Counts are of the items; the checksum is of them and of the trash as of
 * `later`, as a tombstone may expire at any moment. It does not depend on the order: databases sort ids differently.
 */
async function digestList(
  store: OperatorStore,
  username: string,
  later: number,
  take: (records: Item[], items: number) => Promise<void> = async () => {},
): Promise<{ unread: number; read: number; items: number; sha256: string }> {
  const sum = Buffer.alloc(32);
  const counts = { "0": 0, "1": 0 };
  for await (const records of store.walkRecords(username)) {
    for (const item of records) {
      if (item.isDeleted && !isInTrash(item, later)) continue;
      if (!item.isDeleted) counts[item.state]++;
      const { itemId, number, changeKey, url, title, tags, applicationId, refId, timeAdded } = item;
      const { state, trashedState, progress, continues, timeOfContent, hasHighlights, highlightsToldAt } = item;
      const fields = [
        itemId,
        number,
        changeKey,
        state,
        url,
        title,
        tags,
        applicationId,
        refId,
        timeAdded,
        trashedState,
        progress?.percent,
        progress?.anchor,
        progress?.selector,
        progress?.time,
        continues,
        timeOfContent,
        hasHighlights,
        highlightsToldAt,
      ];
      addTo(sum, fields);
    }
    await take(records, counts["0"] + counts["1"]);
  }
  const { 0: unread, 1: read } = counts;
  return { unread, read, items: unread + read, sha256: sum.toString("hex") };
}

/** Adds a record to a checksum that does not depend on the order. */
function addTo(sum: Buffer, fields: readonly unknown[]): void {
  const digest = createHash("sha256").update(JSON.stringify(fields)).digest();
  for (const [index, byte] of digest.entries()) sum[index] = Number(sum[index]) ^ byte;
}

/**
 * Reads all highlights of a user and their tombstones. Number and checksum cover only highlights that were not deleted.
 */
async function digestHighlights(
  store: OperatorStore,
  user: ClosedUser,
  take: (highlights: Highlight[]) => Promise<void> = async () => {},
): Promise<{ size: number; sha256: string }> {
  const sum = Buffer.alloc(32);
  let size = 0;
  for await (const highlights of store.walkHighlights(user)) {
    for (const each of highlights) {
      if (each.isDeleted) continue;
      size += 1;
      const { id, itemId, number, changeKey, quote, prefix, suffix, position, color, note, timeCreated } = each;
      addTo(sum, [id, itemId, number, changeKey, quote, prefix, suffix, position, color, note, timeCreated]);
    }
    await take(highlights);
  }
  return { size, sha256: sum.toString("hex") };
}

/** Copies the kept pictures of an article to another database, which has the article. */
export async function copyPictures(
  from: PictureStore,
  to: PictureStore,
  owner: ArticleOwner,
  itemId: string,
): Promise<void> {
  const there = new Set((await to.list(owner, itemId)).map(({ url, hash }) => `${hash} ${url}`));
  for (const { url, hash } of await from.list(owner, itemId)) {
    if (hash === undefined || there.has(`${hash} ${url}`)) continue;
    const picture = await from.find(owner.userId, hash);
    if (picture) await to.keep(owner, itemId, { url, content: await buffer(picture.open()) }, Number.MAX_SAFE_INTEGER);
  }
}
