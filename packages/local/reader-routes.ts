// SPDX-License-Identifier: MIT

import type { Handler } from "@reading-list/http/call.ts";
import { loadReader } from "@reading-list/web/load-reader.ts";
import type { ReaderFile } from "@reading-list/web/reader-files.ts";
import { choosePolicy, type ReaderConfig } from "@reading-list/web/web-application.ts";
import { getAndHead, type Routes } from "./gateway.ts";
import type { ShownTextUrl } from "./shown-text-url.ts";
import { answerFile, redirectTo, type StaticFile, startAt } from "./static-file.ts";

const folder = "/app/";
export const readerAddress = (baseUrl: string) => `${baseUrl}${folder}`;

/**
 * The routes of the web reader. Its files are loaded at the first request, so that a start takes no longer if nobody
 * uses it. `publicFolder` is the path of `BASE_URL`, empty or such as `/reading`.
 */
export function createReaderRoutes(
  config: Omit<ReaderConfig, "baseUrl" | "textUrl" | "isFirstRun">,
  publicFolder: string,
  shownTextUrl: ShownTextUrl,
  isFirstRun: () => Promise<boolean>,
): Routes {
  let files: Promise<Map<string, ReaderFile>> | undefined;
  const load = async () => new Map((await loadReader()).map((file) => [file.name, file]));

  const serve: Handler = async (request) => {
    const textUrl = shownTextUrl(request.headers.host);
    const name = request.path.slice(folder.length);
    const respond = (file: Omit<StaticFile, "securityPolicy">) =>
      answerFile({ ...file, securityPolicy: choosePolicy(name, textUrl) }, request);
    if (name === "config.json") {
      const content = Buffer.from(
        JSON.stringify({
          ...config,
          hasReference: true,
          baseUrl: `${publicFolder}/`,
          textUrl,
          isFirstRun: await isFirstRun(),
        } satisfies ReaderConfig),
      );
      return respond({
        contentType: "application/json; charset=utf-8",
        cacheControl: "no-cache",
        content,
        isStable: false,
      });
    }
    files ??= load();
    const file = (await files).get(name);
    if (!file) return { status: 404, headers: { "Content-Type": "text/plain" }, body: "no such file" };
    const cacheControl = file.isHashed ? "public, max-age=31536000, immutable" : "no-cache";
    return respond({ ...file, cacheControl, isStable: true });
  };
  const redirect: Handler = ({ query }) => redirectTo(publicFolder + folder + (query && `?${query}`));
  return new Map([
    ...getAndHead(`${folder}{proxy+}`, serve),
    ...getAndHead(folder.slice(0, -1), redirect),
    ...startAt(publicFolder + folder),
  ]);
}
