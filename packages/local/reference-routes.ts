// SPDX-License-Identifier: MIT

import type { Handler } from "@reading-list/http/call.ts";
import {
  referenceCacheControl,
  referenceDocument,
  referenceFiles,
  referenceSecurityPolicy,
} from "@reading-list/reference/reference-page.ts";
import { getAndHead, type Routes } from "./gateway.ts";
import type { ShownTextUrl } from "./shown-text-url.ts";
import { answerFile, redirectTo, type StaticFile, startAt } from "./static-file.ts";

/**
 * The routes of the API reference page: one for each of its files, so that no request can name another. `publicFolder` is the
 * path of `BASE_URL`, empty or such as `/reading`.
 */
export function createReferenceRoutes(publicFolder: string, shownTextUrl: ShownTextUrl): Routes {
  const createRoute = (
    urlPath: string,
    file: Pick<StaticFile, "contentType" | "isStable">,
    read: (textUrl: string) => Promise<Buffer>,
  ): [string, Handler][] => {
    const serve: Handler = async (request) => {
      const textUrl = shownTextUrl(request.headers.host);
      const policies = { cacheControl: referenceCacheControl, securityPolicy: referenceSecurityPolicy(textUrl) };
      return answerFile({ ...file, ...policies, content: await read(textUrl) }, request);
    };
    return getAndHead(urlPath, serve);
  };
  const files = referenceFiles.flatMap(({ urlPath, contentType, read }) => {
    let content: Promise<Buffer> | undefined;
    return createRoute(urlPath, { contentType, isStable: true }, () => (content ??= read()));
  });
  // It depends on the host that the caller names.
  const document = { contentType: "application/json; charset=utf-8", isStable: false };
  return new Map([
    ...files,
    ...createRoute("/openapi.json", document, (textUrl) => referenceDocument(`${publicFolder}/`, textUrl)),
    ...getAndHead("/reference", () => redirectTo(`${publicFolder}/reference/`)),
    ...startAt(`${publicFolder}/reference/`),
  ]);
}
