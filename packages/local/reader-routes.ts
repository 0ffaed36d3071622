import { buildReader, type ReaderFile } from "@reading-list/web/build.ts";
import { type ReaderConfig, readerSecurityPolicy } from "@reading-list/web/web-application.ts";
import type { Handler, Routes } from "./gateway.ts";
import { answerFile, type StaticFile } from "./static-file.ts";

const folder = "/app/";
export const readerAddress = (baseUrl: string) => `${baseUrl}${folder}`;

/**
 * The routes of the web reader. It is built at the first request, so that a start takes no longer for those who do not
 * use it.
 */
export function createReaderRoutes(config: ReaderConfig): Routes {
  let files: Promise<Map<string, ReaderFile>> | undefined;
  const build = async () => new Map((await buildReader()).map((file) => [file.name, file]));
  const textPort = new URL(config.textUrl).port;

  const serve: Handler = async ({ rawPath, headers }) => {
    // The text host as this browser reaches it, which may be a phone that knows another address of this machine.
    const textUrl = `http://${hostnameOf(headers.host) ?? new URL(config.textUrl).hostname}:${textPort}`;
    const respond = (file: Omit<StaticFile, "securityPolicy">) =>
      answerFile({ ...file, securityPolicy: readerSecurityPolicy(textUrl) });
    const name = rawPath.slice(folder.length);
    if (name === "config.json") {
      const content = JSON.stringify({ ...config, textUrl });
      return respond({ contentType: "application/json; charset=utf-8", cacheControl: "no-cache", content });
    }
    files ??= build();
    const file = (await files).get(name);
    if (!file) return { statusCode: 404, headers: { "Content-Type": "text/plain" }, body: "no such file" };
    return respond({ ...file, cacheControl: file.isHashed ? "public, max-age=31536000, immutable" : "no-cache" });
  };
  const redirect: Handler = async ({ rawQueryString }) => ({
    statusCode: 308,
    headers: { Location: folder + (rawQueryString && `?${rawQueryString}`) },
  });
  return new Map([
    [`GET ${folder}{proxy+}`, serve],
    [`GET ${folder.slice(0, -1)}`, redirect],
  ]);
}

/** The hostname of a `Host` header; undefined if it is none. */
const hostnameOf = (host = "") => URL.parse(`http://${host}`)?.hostname || undefined;
