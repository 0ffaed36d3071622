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
import type { Handler } from "./gateway.ts";
import { answerFile } from "./static-file.ts";

const root = new URL("../../", import.meta.url);
const readSource = (source: string) => readFile(new URL(source, root), "utf8");

/** The routes of the API reference page: one for each of its files, so that no request can name another. */
export async function createReferenceRoutes(textUrl: string): Promise<Map<string, Handler>> {
  const document = { ...documentFile, text: referenceDocument(await readSource(openApiFile), textUrl) };
  const files: ReferenceFile[] = [...referenceFiles, document];
  return new Map(files.map((file) => [`GET ${file.urlPath}`, createFileHandler(file, textUrl)]));
}

const createFileHandler =
  ({ contentType, text, source = "" }: ReferenceFile, textUrl: string): Handler =>
  async () =>
    answerFile({
      contentType,
      cacheControl: referenceCacheControl,
      securityPolicy: referenceSecurityPolicy(textUrl),
      content: text ?? (await readSource(source)),
    });
