// SPDX-License-Identifier: MIT

import { shared } from "@reading-list/core/contract/text-host.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import {
  countReading,
  noSuchPage,
  readShare,
  readSharedPicture,
  type SharedPorts,
} from "@reading-list/core/use-cases/articles/read-share.ts";
import { answerCall } from "./answer.ts";
import { type Call, calledUrl, type Handler, type HttpAnswer } from "./call.ts";
import { answerPicture } from "./picture.ts";
import { sharedHeaders, writeArticlePage, writeTagFeed, writeTagPage } from "./shared-page.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

type Ports = SharedPorts & Pick<Dependencies, "settings" | "defaultLimits">;

/** Seconds for which a shared page may be cached: for so long it outlives its revocation. */
const cacheSeconds = 300;
const cached = { "Cache-Control": `public, max-age=${cacheSeconds}` };

/** The parts of a path: `/s/TOKEN`, `/s/TOKEN.atom`, and the pictures of an article, `/s/TOKEN/HASH`. */
const paths = /^\/s\/([\w-]{22})(?:(\.atom)|\/([\da-f]{64}))?$/;

/** Answers what users share (docs/api.md 4.17): without a key, and counted against the address. */
export function createSharedHandler(deps: Ports, report: Report): Handler {
  const answer = (call: Call) =>
    answerCall(call, async () => {
      const maintenance = await deps.settings.maintenance();
      if (maintenance !== undefined) throw new ServiceError("maintenance", maintenance, { retryAfter: 300 });
      const { request } = call;
      const [, token = "", feed, hash] = paths.exec(request.path) ?? [];
      if (hash !== undefined) {
        const found = await readSharedPicture(deps, token, hash);
        const picture = answerPicture({ ...found, hash, seconds: cacheSeconds }, request);
        return { ...picture, headers: { ...picture.headers, ...sharedHeaders, ...cached } };
      }
      await countReading(deps, request.address);
      const page = await readShare(deps, token);
      if (page.kind === "tag" && feed) {
        const body = writeTagFeed(page.tag, page.items, `${calledUrl(request)}/s/${token}.atom`);
        return answerShared("application/atom+xml; charset=utf-8", body);
      }
      if (feed) throw noSuchPage();
      const body =
        page.kind === "tag"
          ? writeTagPage(page.tag, page.items, `${token}.atom`)
          : writeArticlePage(page.item, page.article, page.hashes, token);
      return answerShared("text/html; charset=utf-8", body);
    });
  const answerSafely = async (call: Call) => {
    const { headers, ...rest } = await answer(call);
    return { ...rest, headers: { ...sharedHeaders, ...headers } };
  };
  return watchCalls(shared, deps, answerSafely, report);
}

const answerShared = (type: string, body: string): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": type, ...sharedHeaders, ...cached },
  body,
});
