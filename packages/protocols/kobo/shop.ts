// SPDX-License-Identifier: MIT

import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import querystring from "node:querystring";
import * as z from "@reading-list/core/contract/bounded.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { AnyCaller, UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute, type RawRequest } from "@reading-list/http/api.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import type { ApiPorts } from "../ports.ts";
import { ofSameOrigin } from "./answers.ts";
import { findStoreUser } from "./tokens.ts";

/** Bytes of a call and of an answer: books and covers come from other hosts. A Lambda function returns 4.5 MB at most. */
const maxRequestBytes = 2_000_000;
const maxAnswerBytes = 4_000_000;
/** Maximum calls in progress in a process, for one user, and waiting. */
const places = new FairQueue({ atOnce: 20, ofGroup: 4, waiting: 40 });

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof methods)[number];

/** The headers that pass to the shop and back: no `Cookie`, `Set-Cookie`, `X-Forwarded-*`, and none of the headers of our own answers. */
const requestHeaders =
  /^(accept|accept-language|authorization|content-type|if-modified-since|if-none-match|user-agent|x-kobo-[a-z-]+)$/;
const answerHeaders =
  // bounded: the name of a header, within the limit of all headers
  /^(cache-control|content-disposition|content-encoding|content-language|content-type|etag|expires|last-modified|location|retry-after|www-authenticate|x-kobo-[a-z-]+)$/;
/** An answer that is rewritten must be whole. */
const conditionalHeaders = /^if-/;

/** The call by which a device asks for the addresses of all services, including Instapaper's. */
const initialization = "/v1/initialization";

/** Normalizes a path that the store may read as the initialization's; returns any other path unchanged. */
function readPath(path: string): string {
  const { pathname } = new URL(`http://shop${path}`);
  const plain = querystring.unescape(pathname).replaceAll(/\/+/g, "/").replace(/\/$/, "");
  return plain.toLowerCase() === initialization ? initialization : path;
}
const instapaper = /https:(\/|\\\/|\\u002f)\1www\.instapaper\.com/gi;

/** Kobo's shop, to which calls of e-readers are passed (docs/apps.md). */
export interface KoboShop {
  /** The origin of its host. */
  url: string;
  /** Milliseconds for an answer. */
  timeoutMs: number;
}

export const koboShop: KoboShop = { url: "https://storeapi.kobo.com", timeoutMs: 20_000 };

/** The ports of the use cases of this API. */
export type KoboPorts = ApiPorts & { koboShop: KoboShop };

interface PassedOn {
  answer: HttpAnswer;
  /** It has the address of Instapaper, to be replaced by ours. */
  isInitialization: boolean;
}

interface Input {
  token: string;
  request: RawRequest;
}

/** Passes a call of a device to the shop. Throws `notFound` without a token that is live. */
const passOn: UseCase<Input, PassedOn, KoboPorts, AnyCaller> = {
  begin:
    (deps, { token, request: sent }) =>
    async () => {
      const username = await findStoreUser(deps, token);
      const method = methods.find((each) => each === sent.method);
      if (username === undefined || !method) throw new ServiceError("notFound", "no such path or method");
      const { url, timeoutMs } = deps.koboShop;
      const path = readPath(sent.path.slice(sent.path.indexOf(token) + token.length));
      const target = new URL(url);
      target.pathname = path;
      target.search = sent.query;
      const isInitialization = path === initialization;
      const signal = AbortSignal.timeout(timeoutMs);
      const leave = await places.enter(username, signal).catch(() => {
        throw new ServiceError("busy", "too many calls to the Kobo store at once; try again", { retryAfter: 2 });
      });
      try {
        return { isInitialization, answer: await ask(target, method, sent, isInitialization, signal) };
      } finally {
        leave();
      }
    },
};

/** The answer of the shop, or that it gave none. It follows no redirect; the device may. */
async function ask(
  target: URL,
  method: Method,
  { headers: sent, body }: RawRequest,
  isWhole: boolean,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const headers = Object.entries(sent).filter(
    ([name]) => requestHeaders.test(name) && !(isWhole && conditionalHeaders.test(name)),
  );
  try {
    const length = body.length > 0 && { "content-length": body.length };
    const passedHeaders = { ...Object.fromEntries(headers), ...length, "accept-encoding": "identity" };
    const response = await send(target, { method, headers: passedHeaders, signal }, body);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Leaving the loop ends the connection.
      if (bytes > maxAnswerBytes) return failure(502, "the Kobo store's answer is too large");
      chunks.push(chunk);
    }
    const passed = Object.entries(response.headers).filter(([name]) => answerHeaders.test(name));
    const answered = Object.fromEntries(passed.map(([name, value]) => [inTitleCase(name), String(value)]));
    const { "Content-Encoding": encoding = "identity", Location } = answered;
    if (isWhole && encoding !== "identity") return failure(502, "the Kobo store's answer is compressed");
    const location = Location && URL.parse(Location, target.href)?.href;
    return {
      status: response.statusCode ?? 502,
      headers: { ...answered, ...(location && { Location: location }), ...ofSameOrigin },
      body: Buffer.concat(chunks),
    };
  } catch {
    return signal.aborted
      ? failure(504, "the Kobo store takes too long to answer")
      : failure(502, "the Kobo store does not answer");
  }
}

/** Sends a request, and resolves with the answer before its body. */
function send(target: URL, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = target.protocol === "http:" ? http : https;
  request(target, options, resolve)
    .on("error", reject)
    // Without an error after an upgrade that nobody has asked for.
    .on("close", () => reject(new Error("no answer")))
    .end(body.length > 0 ? body : undefined);
  return promise;
}

/** As our own headers are written, so that no name is there twice. */
const inTitleCase = (name: string) => name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());

const failure = (status: number, message: string): HttpAnswer => ({
  status,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...ofSameOrigin },
  body: message,
});

/** Our address instead of Instapaper's, with slashes as the JSON has them. */
function rewrite({ headers, body, ...answer }: HttpAnswer, address: string): HttpAnswer {
  const own = JSON.stringify(address).slice(1, -1);
  const rewritten = String(body).replaceAll(instapaper, (_, slash: string) => own.replaceAll("/", () => slash));
  const { Etag: _, "Last-Modified": __, ...kept } = headers;
  return { ...answer, headers: { ...kept, "Cache-Control": "no-store" }, body: rewritten };
}

const shop = defineRoute({
  route: "ANY /store/{token}/{path+}",
  caller: "application",
  isRaw: true,
  maxBody: maxRequestBytes,
  input: z.object({ token: z.string(1000), request: z.ofRequest<RawRequest>() }),
  useCase: passOn,
  present: ({ answer, isInitialization }, _, { address }) => (isInitialization ? rewrite(answer, address) : answer),
});

export const shopRoutes = [shop];
