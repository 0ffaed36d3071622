// SPDX-License-Identifier: MIT

import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Worker } from "node:worker_threads";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { hashPicture } from "@reading-list/core/domain/picture-address.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import type { ListedBackup } from "@reading-list/core/ports/operator.ts";
import { type BackupSummary, backUp, listName, restore, summarize } from "@reading-list/store-sqlite/backup.ts";
import {
  type CopiedPictures,
  pictureWriter,
  readPicture,
  readPictures,
} from "@reading-list/store-sqlite/picture-backup.ts";
import { writeWhole } from "@reading-list/store-sqlite/picture-files.ts";
import type { Content, Destination, StoredFile } from "./destination.ts";
import { createDecrypter, createEncrypter, decrypt } from "./encryption.ts";
import { streamFile, toReadable } from "./folder.ts";
import { expiredTimes } from "./kept-backups.ts";
import { openDestination, splitAddress } from "./open-destination.ts";
import {
  ContentReader,
  type Description,
  deriveVerifyKey,
  findVerifyKeys,
  type Head,
  signContent,
} from "./signed-content.ts";

/**
 * An encrypted backup is `TIME.db.age` (signed-content.ts) and `TIME.pictures`, the names of its pictures, which all
 * backups share in the folder `pictures`; without the key nobody can find out which of them are needed. A name is a MAC
 * of the content's hash, so it does not identify the picture.
 */
const folderOfPictures = "pictures";
const nameDatabaseFile = (stamp: string) => `${stamp}.db.age`;
const pictureListName = (stamp: string) => `${stamp}.${folderOfPictures}`;

/** Seconds after which a file that belongs to no backup is not one of a backup under way. */
const leftOverSeconds = 86_400;

export interface BackupOptions {
  /** The folder of the database. */
  folder: string;
  /** A folder, or `s3://BUCKET/PREFIX`. */
  address: string;
  /** A public key of age. */
  recipient: string;
  /** The key of the names of pictures; with another key all pictures are copied again. */
  nameKey: KeyObject;
  /** Unix seconds. */
  now: number;
  /** Without it no older backup is deleted. */
  permit: ErasePermit | undefined;
  /** See `backUp`. */
  diskReserve?: number | undefined;
}

export interface WrittenBackup {
  address: string;
  bytes: number;
  pictures: CopiedPictures;
  /** Older backups that were deleted. */
  deleted: number;
}

/** The encrypted backups of a destination, newest first. */
export const listBackups = async (destination: Destination): Promise<ListedBackup[]> =>
  backupsIn(destination, await destination.list());

function backupsIn(destination: Destination, files: readonly StoredFile[]): ListedBackup[] {
  const backups = files.flatMap(({ name, bytes }) => {
    const stamp = findStamp(name);
    const isBackup = stamp !== undefined && name === nameDatabaseFile(stamp);
    return isBackup ? [{ address: destination.toAddress(name), time: parseStamp(stamp), bytes }] : [];
  });
  return backups.sort((one, other) => other.time - one.time);
}

/**
 * Writes an encrypted backup of the database and the pictures of a folder, also while the service runs, and deletes old
 * backups. A backup is written completely or not at all. Throws a SetupError if the destination cannot be reached.
 */
export async function writeBackup({
  folder,
  address,
  recipient,
  nameKey,
  now,
  permit,
  diskReserve,
}: BackupOptions): Promise<WrittenBackup> {
  const destination = openDestination(address);
  const encrypter = createEncrypter(recipient);
  const stamp = stampAt(now);
  return inTemporaryFolder(folder, permit, async (temporary) => {
    await fetchDeletedUsers(destination, temporary);
    const database = path.join(temporary, "backup.db");
    backUp(folder, database, diskReserve);
    const present = await destination.list(folderOfPictures);
    const presentNames = new Set(present.map(({ name }) => name));
    const pictures = { copied: 0, missing: 0 };
    const names = new Set<string>();
    for await (const { user, hash } of readPictures(database)) {
      const name = namePicture(nameKey, hash);
      const isThere = presentNames.has(name) || names.has(name);
      const content = isThere ? undefined : await readPicture(folder, user, hash);
      if (!isThere && !content) {
        pictures.missing++;
        continue;
      }
      if (content) {
        await destination.write(name, toStream(await encrypter.encrypt(content)));
        pictures.copied++;
      }
      names.add(name);
    }
    await destination.write(listName, streamFile(path.join(temporary, listName)));
    await destination.write(pictureListName(stamp), toStream(Buffer.from([...names, ""].join("\n"))));
    // Written last, because it completes the backup.
    const signed = await signContent(database, { time: now, secret: await readSecret(folder), nameKey });
    const encrypted = await encrypter.encrypt(signed.content);
    await destination.write(nameDatabaseFile(stamp), encrypted as Content);
    const bytes = encrypted.size(signed.bytes);
    const deleted = permit ? await deleteOld(destination, { names, present, permit }) : 0;
    return { address: destination.toAddress(nameDatabaseFile(stamp)), bytes, pictures, deleted };
  });
}

export interface RestoreOptions {
  /** The text of a file of age-keygen, which may have verifying keys, too. */
  keys: string;
  /** More verifying keys. */
  verifyKeys: readonly string[];
  /** Accepts a backup that neither one of the keys nor the data folder's key has signed. */
  acceptsUnverified: boolean;
  /** Unix seconds. */
  now: number;
  /** Called with the content of the backup before anything is replaced; if it throws, nothing is changed. */
  agree: (summary: BackupSummary & { time: number | undefined }) => Promise<void>;
}

/**
 * Replaces the database and the secret of a folder with the ones in an encrypted backup, and adds its pictures. Throws
 * a SetupError if the backup is missing, damaged, for other keys, or not signed; nothing is changed then. Returns
 * `leftOut` as `restore` does.
 */
export async function restoreBackup(folder: string, address: string, options: RestoreOptions) {
  const { keys, now, agree } = options;
  const { destination, name } = splitAddress(address);
  const decrypter = createDecrypter(keys);
  return inTemporaryFolder(folder, undefined, async (temporary) => {
    const content = await destination.read(name);
    if (!content) throw new SetupError(`the backup ${address} does not exist; nothing was changed`);
    await fetchDeletedUsers(destination, temporary);
    const database = path.join(temporary, "backup.db");
    const decrypted = await decrypt(decrypter, content, address);
    const reader = new ContentReader();
    const damaged = (error?: unknown) => new SetupError(`${address} is damaged; nothing was changed`, error);
    try {
      const file = createWriteStream(database, { mode: 0o600 });
      await pipeline(toReadable(decrypted), (content) => reader.pass(content), file);
    } catch (error) {
      throw damaged(error);
    }
    if (!reader.isWhole()) throw damaged();
    const { head } = reader;
    const doubt = await findDoubt(folder, name, head, options);
    if (doubt !== undefined && !options.acceptsUnverified) {
      throw new SetupError(
        `${address} ${doubt}, so anyone with write access there could have made it; nothing was changed. If you trust it, add --accept-unverified`,
      );
    }
    await agree({ ...summarize(database), time: head?.description.time });
    const leftOut = restore(folder, database, now);
    const hasSecret = head !== undefined;
    if (hasSecret) await replaceSecret(folder, head.description.secret);
    const usersOf = new Map<string, string[]>();
    for await (const { user, hash } of readPictures(database)) usersOf.set(hash, [...(usersOf.get(hash) ?? []), user]);
    const pictures = { copied: 0, missing: 0 };
    const writePicture = await pictureWriter(folder);
    for (const pictureName of head
      ? pictureNames(head.description, usersOf.keys())
      : await readNames(destination, name)) {
      const encrypted = await destination.read(pictureName);
      // A damaged one is missing.
      const picture = encrypted && (await decrypter.decrypt(await buffer(encrypted)).catch(() => undefined));
      if (!picture) continue;
      const hash = hashPicture(picture);
      for (const user of usersOf.get(hash) ?? []) {
        await writePicture(user, hash, picture);
        pictures.copied++;
      }
      usersOf.delete(hash);
    }
    for (const users of usersOf.values()) pictures.missing += users.length;
    return { leftOut, pictures, hasSecret };
  });
}

/** Why a backup may be another one than it seems to be; undefined if a trusted key has signed it. */
async function findDoubt(
  folder: string,
  name: string,
  head: Head | undefined,
  { keys, verifyKeys }: RestoreOptions,
): Promise<string | undefined> {
  if (!head) return "is not signed (version 0.2 did not sign backups)";
  const { description, verifyKey } = head;
  if (verifyKey === undefined) return "has an invalid signature";
  const own = await readSecret(folder).then(deriveVerifyKey, () => "");
  if (![...findVerifyKeys(keys), ...verifyKeys, own].includes(verifyKey)) {
    return `is signed with ${verifyKey}, which is not in the --identity file, not given with --verify-key, and not the key of this data folder`;
  }
  const stamp = findStamp(name);
  if (stamp !== undefined && parseStamp(stamp) !== description.time) {
    return `was written at ${stampAt(description.time)}, but its name contains another time`;
  }
  return undefined;
}

/** The names of pictures follow from their hashes. */
function* pictureNames({ nameKey }: Description, hashes: Iterable<string>): Generator<string> {
  const key = createSecretKey(Buffer.from(nameKey, "base64url"));
  for (const hash of [...hashes]) yield namePicture(key, hash);
}

/** The names of the pictures of a backup of version 0.2. */
async function readNames(destination: Destination, name: string): Promise<string[]> {
  const list = await destination.read(pictureListName(findStamp(name) ?? name));
  return list ? (await text(list)).split("\n").filter(Boolean) : [];
}

const secretFile = (folder: string) => path.join(folder, "secret");

/** `DATA_DIR/secret`. Throws an error of the file system if it is missing. */
export const readSecret = async (folder: string): Promise<string> =>
  (await readFile(secretFile(folder), "utf8")).trim();

async function replaceSecret(folder: string, secret: string): Promise<void> {
  await writeWhole(secretFile(folder), Buffer.from(`${secret}\n`));
  const { uid, gid } = await stat(folder);
  // Root restores for the user of the service.
  if (process.geteuid?.() === 0) await chown(secretFile(folder), uid, gid);
}

/**
 * Deletes the backups that are too old, the rest of interrupted ones, and pictures that no backup has. `names` are the
 * pictures of the newest backup, `present` the pictures before it.
 */
async function deleteOld(
  destination: Destination,
  { names, present, permit }: { names: ReadonlySet<string>; present: readonly StoredFile[]; permit: ErasePermit },
): Promise<number> {
  const { now } = permit;
  const isLeftOver = ({ time }: { time: number }) => time < now - leftOverSeconds;
  const files = await destination.list();
  const backups = backupsIn(destination, files).map(({ time }) => time);
  const expired = new Set(expiredTimes(backups, now));
  const kept = new Set(backups.filter((time) => !expired.has(time)));
  const unneeded = files.filter((file) => {
    const stamp = findStamp(file.name);
    if (stamp === undefined) return false;
    return expired.has(parseStamp(stamp)) || (!kept.has(parseStamp(stamp)) && isLeftOver(file));
  });
  // The databases first: one without its list would lack pictures.
  const isDatabase = ({ name }: { name: string }) => name.endsWith(".age");
  for (const isOfTurn of [true, false]) {
    await destination.remove(unneeded.filter((file) => isDatabase(file) === isOfTurn).map(({ name }) => name));
  }
  const gone = new Set(unneeded.map(({ name }) => name));
  const unused = new Set(present.filter((file) => !names.has(file.name) && isLeftOver(file)).map(({ name }) => name));
  for (const { name } of files) {
    if (unused.size === 0) break;
    const stamp = findStamp(name);
    if (stamp === undefined || gone.has(name) || name !== pictureListName(stamp)) continue;
    const list = await destination.read(name);
    for (const used of list ? (await text(list)).split("\n") : []) unused.delete(used);
  }
  await destination.remove([...unused]);
  return expired.size;
}

/** The list of deleted users of a destination, beside which `backUp` and `restore` find it. */
async function fetchDeletedUsers(destination: Destination, temporary: string): Promise<void> {
  const list = await destination.read(listName);
  if (list) await writeFile(path.join(temporary, listName), await text(list), { mode: 0o600 });
}

const namePicture = (key: KeyObject, hash: string) =>
  `${folderOfPictures}/${createHmac("sha256", key).update(hash).digest("base64url")}`;

/** The time that the name of a file of a backup begins with; undefined for any other file. */
const findStamp = (name: string): string | undefined => /^\d{4}-\d\d-\d\dT\d{6}Z(?=\.)/.exec(name)?.[0];

const stampAt = (time: number): string => new Date(time * 1000).toISOString().replace(/\.\d+|:/g, "");

const parseStamp = (stamp: string): number => Date.parse(stamp.replace(/T(..)(..)(..)Z/, "T$1:$2:$3Z")) / 1000;

const toStream = (content: Uint8Array): Content => new Blob([new Uint8Array(content)]).stream();

/** A folder for the unencrypted copy, beside the database, so that it never leaves the data folder. */
async function inTemporaryFolder<T>(
  folder: string,
  permit: ErasePermit | undefined,
  work: (temporary: string) => Promise<T>,
): Promise<T> {
  const prefix = "backup-";
  for (const name of permit ? await readdir(folder) : []) {
    const leftOver = path.join(folder, name);
    if (!permit || !name.startsWith(prefix)) continue;
    if ((await stat(leftOver)).mtimeMs / 1000 < permit.now - leftOverSeconds) await rm(leftOver, { recursive: true });
  }
  const temporary = await mkdtemp(path.join(folder, prefix));
  try {
    return await work(temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * `writeBackup` in a separate thread, because copying and encrypting a large database takes seconds of processor time.
 */
export async function writeBackupInThread(options: BackupOptions): Promise<WrittenBackup> {
  const thread = new Worker(new URL("./backup-thread.ts", import.meta.url), { workerData: options });
  thread.unref();
  const [written] = (await once(thread, "message")) as [WrittenBackup];
  return written;
}
