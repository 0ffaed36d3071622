// SPDX-License-Identifier: MIT

import type { Readable } from "node:stream";

/** The body of a request that is being received or handled. */
interface Body {
  chunks: Buffer[];
  /** Bytes of the chunks. */
  bytes: number;
  /** Bytes that have arrived, also after the body was dropped. */
  received: number;
  longest: number;
  /** Why the body was dropped: it is longer than allowed, or too many bytes are held at once. */
  refusal?: "too long" | "busy";
}

const noBytes = Buffer.alloc(0);

/** Bounds the memory of request bodies, which arrive before the API key is checked. */
export class BodyBudget {
  readonly #receiving = new Set<Body>();
  readonly #total: number;
  #held = 0;

  /** `total`: bytes of all bodies that are being received or handled. */
  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Receives a body of up to `longest` bytes, and holds it until `handle` has settled. If the body is refused, `bytes`
   * is empty.
   */
  async hold<T>(
    stream: Readable,
    longest: number,
    handle: (bytes: Buffer, body: Pick<Body, "refusal" | "received">) => Promise<T>,
  ): Promise<T> {
    const body: Body = { chunks: [], bytes: 0, received: 0, longest };
    this.#receiving.add(body);
    try {
      // Also a refused body is read to its end: a client that is still sending would miss the answer.
      await new Promise((resolve, reject) => {
        stream.on("data", (chunk: Buffer) => this.#add(body, chunk));
        stream.on("end", resolve).on("error", reject).on("close", reject);
      });
      this.#receiving.delete(body);
      const [first = noBytes, ...more] = body.chunks;
      return await handle(more.length === 0 ? first : Buffer.concat(body.chunks), body);
    } finally {
      this.#receiving.delete(body);
      this.#held -= body.bytes;
    }
  }

  /** Beyond the total the longest body is dropped, so that short requests pass while long ones fill the memory. */
  #add(body: Body, chunk: Buffer): void {
    body.received += chunk.length;
    if (body.refusal) return;
    body.chunks.push(chunk);
    body.bytes += chunk.length;
    this.#held += chunk.length;
    if (body.bytes > body.longest) this.#drop(body, "too long");
    while (this.#held > this.#total && !body.refusal) {
      this.#drop(
        [...this.#receiving].reduce((one, other) => (other.bytes > one.bytes ? other : one)),
        "busy",
      );
    }
  }

  #drop(body: Body, refusal: Body["refusal"] & string): void {
    this.#held -= body.bytes;
    Object.assign(body, { chunks: [], bytes: 0, refusal });
  }
}
