// SPDX-License-Identifier: MIT

import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** A request as written to the connection; each character of a string is one byte. */
export interface WireRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  body: string;
}

/** A response; `raw` is all of it before the body was decompressed. */
export interface WireAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
  raw: string;
}

/** The UTF-8 of a text, one byte in each character. */
export const utf8 = (text: string) => Buffer.from(text).toString("latin1");

/** A request as bytes; framing headers are added unless it has its own. */
export function writeRequest({ method, target, headers, body }: WireRequest): string {
  const isNamed = (name: string) => headers.some(([given]) => given.toLowerCase() === name);
  const framing: [string, string][] = [
    ["host", "reading-list.example"],
    ["connection", "close"],
    ["content-length", String(body.length)],
  ];
  const needed = framing.filter(([name]) => !isNamed(name) && (name !== "content-length" || body !== ""));
  const lines = [...needed, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/**
 * Writes bytes to a host and reads its answer to the end; undefined if the host closes the connection without one. Ends
 * its side of the connection after some milliseconds, so that the host does not wait for the rest of a truncated
 * request.
 */
export function exchange(origin: string, bytes: string, endAfter = 5000): Promise<WireAnswer | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const end = setTimeout(() => socket.end(), endAfter);
    socket.on("data", (chunk) => chunks.push(chunk));
    // A host that has stopped reading may reset the connection after its answer.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(end);
      const answer = Buffer.concat(chunks).toString("latin1");
      resolve(answer === "" ? undefined : readAnswer(answer));
    });
    socket.write(bytes, "latin1");
  });
}

function readAnswer(raw: string): WireAnswer {
  const answer = raw.replace(/^(HTTP\/1\.1 100 Continue\r\n\r\n)+/, "");
  const headEnd = answer.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = answer.slice(0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = Buffer.from(answer.slice(headEnd + 4), "latin1");
  return { status: Number(statusLine.split(" ")[1]), headers, body: decompress(body, headers), raw };
}

function decompress(body: Buffer, headers: ReadonlyMap<string, string>): string {
  const encoding = headers.get("content-encoding");
  if (encoding === "br") return brotliDecompressSync(body).toString();
  return (encoding === "gzip" ? gunzipSync(body) : body).toString();
}
