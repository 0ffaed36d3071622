// SPDX-License-Identifier: MIT

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

/** CBOR (RFC 8949) of the kinds that WebAuthn needs. */
function encode(value: Cbor): Buffer {
  const head = (kind: number, count: number) =>
    count < 24
      ? Buffer.from([(kind << 5) | count])
      : count < 256
        ? Buffer.from([(kind << 5) | 24, count])
        : Buffer.from([(kind << 5) | 25, count >> 8, count & 255]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, each]) => [encode(key), encode(each)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();

interface Question {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
}

/** An authenticator with one passkey, which answers as a browser would. */
export class Authenticator {
  readonly id = randomBytes(16).toString("base64url");
  counter = 1;
  /** Passkeys that are on several devices do not count. */
  counts = true;
  /** The format of its statement about its maker. */
  format = "none";
  readonly #origin: string;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  }

  /** The answer to the question for a new passkey. */
  create({ challenge, rp }: Question): string {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const [bytesX, bytesY] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
    const key = encode(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytesX],
        [-3, bytesY],
      ]),
    );
    const id = Buffer.from(this.id, "base64url");
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
    const authData = Buffer.concat([this.#head(rp?.id ?? "", 0x45), credential]);
    const statement: Map<string, Cbor> = new Map(this.format === "none" ? [] : [["x5c", new Map()]]);
    const attestation = encode(
      new Map<string, Cbor>([
        ["fmt", this.format],
        ["attStmt", statement],
        ["authData", authData],
      ]),
    );
    return this.#answer({
      attestationObject: attestation.toString("base64url"),
      clientDataJSON: this.#clientData("webauthn.create", challenge).toString("base64url"),
      transports: ["internal"],
    });
  }

  /** The answer to the question of a sign-in. */
  sign({ challenge, rpId = "" }: Question, origin = this.#origin): string {
    const authData = this.#head(rpId, 0x05);
    const clientData = this.#clientData("webauthn.get", challenge, origin);
    const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey);
    return this.#answer({
      authenticatorData: authData.toString("base64url"),
      clientDataJSON: clientData.toString("base64url"),
      signature: signature.toString("base64url"),
    });
  }

  #head(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counts ? this.counter++ : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string, origin = this.#origin): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #answer(response: Record<string, unknown>): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }
}
