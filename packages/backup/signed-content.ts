// SPDX-License-Identifier: MIT

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type Hash,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Content } from "./destination.ts";

/**
 * The content of an encrypted backup: a line with its description, a line with the signature of the first one, then the
 * database, whose hash is in the description. The database has the hashes of its pictures. A backup of version 0.2
 * contains only the database.
 */
export interface Description {
  /** When it was written, in unix seconds. */
  time: number;
  /** `DATA_DIR/secret`. */
  secret: string;
  /** The key of the names of its pictures, in base64url. */
  nameKey: string;
  /** The hash of the database, in hexadecimal. */
  sha256: string;
}

/** The content of a backup's head; `verifyKey`: the key of a valid signature. */
export interface Head {
  description: Description;
  verifyKey: string | undefined;
}

/** Maximum bytes of the two lines; anything longer is not a head. */
const maxHeadBytes = 10_000;

const prefix = "reading-list-verify-";
/** The DER encoding of an Ed25519 key before its 32 bytes (RFC 8410). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");
const spki = Buffer.from("302a300506032b6570032100", "hex");

/** The key that signs the backups of a data folder, from its secret. */
const deriveSigningKey = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([pkcs8, Buffer.from(hkdfSync("sha256", secret, "", "backup signature", 32))]),
    format: "der",
    type: "pkcs8",
  });

/** The text of the key that verifies the backups of a data folder; it is not secret. */
export const deriveVerifyKey = (secret: string): string =>
  prefix + createPublicKey(deriveSigningKey(secret)).export({ format: "jwk" }).x;

/** The verifying keys in a text, such as the file of an age identity. */
export const findVerifyKeys = (text: string): string[] => text.match(/reading-list-verify-[\w-]{43}(?![\w-])/g) ?? [];

/** Bytes that no other signature of the key has at their beginning. */
const signedBytes = (line: string) => Buffer.from(`reading-list backup\n${line}`);

/** The content of a backup of a database file, and its bytes. */
export async function signContent(
  file: string,
  { time, secret, nameKey }: { time: number; secret: string; nameKey: KeyObject },
): Promise<{ content: Content; bytes: number }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const { size } = await stat(file);
  const description: Description = {
    time,
    secret,
    nameKey: nameKey.export().toString("base64url"),
    sha256: hash.digest("hex"),
  };
  const line = JSON.stringify(description);
  const signature = sign(null, signedBytes(line), deriveSigningKey(secret)).toString("base64url");
  const head = Buffer.from(`${line}\n${JSON.stringify({ key: deriveVerifyKey(secret), signature })}\n`);
  async function* read() {
    yield head;
    yield* createReadStream(file);
  }
  return {
    content: Readable.toWeb(Readable.from(read(), { objectMode: false })) as Content,
    bytes: head.length + size,
  };
}

function parseHead(line: string, signed: string): Head {
  const description = JSON.parse(line) as Description;
  const { key, signature } = JSON.parse(signed) as { key: string; signature: string };
  const publicKey = createPublicKey({
    key: Buffer.concat([spki, Buffer.from(key.slice(prefix.length), "base64url")]),
    format: "der",
    type: "spki",
  });
  const isValid = verify(null, signedBytes(line), publicKey, Buffer.from(signature, "base64url"));
  return { description, verifyKey: isValid ? key : undefined };
}

/** Divides the content of a backup while it is read: `pass` lets the database through, `head` is known at its end. */
export class ContentReader {
  head: Head | undefined;
  readonly #hash: Hash = createHash("sha256");

  async *pass(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let start: Buffer | undefined = Buffer.alloc(0);
    for await (const chunk of content) {
      let database: Uint8Array = chunk;
      if (start) {
        start = Buffer.concat([start, chunk]);
        const end = start[0] === "{".charCodeAt(0) ? start.indexOf("\n", start.indexOf("\n") + 1) : -1;
        const isHead = start[0] === "{".charCodeAt(0) && start.length <= maxHeadBytes;
        if (end < 0 && isHead) continue;
        if (end > 0) {
          const [line = "", signed = ""] = start.toString("utf8", 0, end).split("\n");
          this.head = parseHead(line, signed);
        }
        database = start.subarray(end + 1);
        start = undefined;
      }
      this.#hash.update(database);
      yield database;
    }
  }

  /** Whether the head describes this database. */
  isWhole(): boolean {
    return this.head === undefined || this.#hash.digest("hex") === this.head.description.sha256;
  }
}
