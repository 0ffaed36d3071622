// SPDX-License-Identifier: MIT

import { picture } from "@reading-list/core/contract/text-host.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Dependencies } from "@reading-list/core/ports/dependencies.ts";
import {
  type FoundPicture,
  type ReadingPorts,
  readPicture,
} from "@reading-list/core/use-cases/articles/read-picture.ts";
import { answerCall } from "./answer.ts";
import type { Call, Handler, HttpAnswer } from "./call.ts";
import { type Report, watchCalls } from "./watch/watch-calls.ts";

type Ports = ReadingPorts & Pick<Dependencies, "settings" | "defaultLimits" | "windowSeconds" | "addressLimit">;

/** Answers `/v2/picture` (docs/api.md 4.9): without a key, and counted against no limit. */
export function createPictureHandler(deps: Ports, report: Report): Handler {
  const answer = (call: Call) =>
    answerCall(call, async () => {
      const maintenance = await deps.settings.maintenance();
      if (maintenance !== undefined) throw new ServiceError("maintenance", maintenance, { retryAfter: 300 });
      return answerPicture(await readPicture(deps, call.request.query), call.request);
    });
  return watchCalls(picture, deps, answer, report);
}

/** The answer with a kept picture, or that the client has it. */
export function answerPicture(
  { hash, bytes, seconds, open }: FoundPicture,
  { method, headers }: Pick<Call["request"], "method" | "headers">,
): HttpAnswer {
  const tag = `"${hash}"`;
  const isKnown = headers["if-none-match"]?.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
  return {
    status: isKnown ? 304 : 200,
    headers: {
      "Cache-Control": `private, max-age=${seconds}`,
      ETag: tag,
      // Also in a copy that a browser has cached for its own `<img>`.
      "Access-Control-Allow-Origin": "*",
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      ...(!isKnown && { "Content-Type": "image/webp", "Content-Length": String(bytes) }),
    },
    body: "",
    ...(!isKnown && method !== "HEAD" && { stream: open }),
  };
}
