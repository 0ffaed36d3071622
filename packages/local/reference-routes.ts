import { readFile } from "node:fs/promises";
import {
  documentFile,
  openApiFile,
  type ReferenceFile,
  referenceCacheControl,
  referenceDocument,
  referenceFiles,
  referenceSecurityPolicy,
} from "@reading-list/reference/reference-page.ts";
import type { Handler, Routes } from "./gateway.ts";
import type { ShownTextUrl } from "./shown-text-url.ts";
import { answerFile } from "./static-file.ts";

const root = new URL("../../", import.meta.url);
const readSource = (source: string) => readFile(new URL(source, root), "utf8");

/** The routes of the API reference page: one for each of its files, so that no request can name another. */
export function createReferenceRoutes(shownTextUrl: ShownTextUrl): Routes {
  const stable = new Map<ReferenceFile, Promise<Buffer>>();
  const routes = [...referenceFiles, documentFile].map((file): [string, Handler] => [
    `GET ${file.urlPath}`,
    async (request) => {
      const textUrl = shownTextUrl(request.headers.host);
      // The document depends on the host that the caller names.
      const isStable = file !== documentFile;
      const content = stable.get(file) ?? contentOf(file, textUrl).then((text) => Buffer.from(text));
      if (isStable) stable.set(file, content);
      return answerFile(
        {
          contentType: file.contentType,
          cacheControl: referenceCacheControl,
          securityPolicy: referenceSecurityPolicy(textUrl),
          content: await content,
          isStable,
        },
        request,
      );
    },
  ]);
  return new Map(routes);
}

const contentOf = async (file: ReferenceFile, textUrl: string) =>
  file === documentFile
    ? referenceDocument(await readSource(openApiFile), textUrl)
    : (file.text ?? (await readSource(file.source ?? "")));
