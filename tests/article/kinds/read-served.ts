// SPDX-License-Identifier: MIT

import { createPageReader } from "@reading-list/article/page-reader.ts";
import type { TextRequest } from "@reading-list/core/domain/text-view.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { type Answer, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { beforeAll, expect } from "vitest";
import { noCache } from "../no-cache.ts";

/** A site of the calling file, whose answers by path a test sets, and a reader for it. */
export function serveKinds() {
  const answers = new Map<string, Answer>();
  /** Two origins that are allowed: the site, with the paths requested of it, and another one. */
  const site = { origin: "", requested: [] as string[] };
  const other = { origin: "", requests: 0, body: "" };
  let reader: ReturnType<typeof createPageReader>;
  let impatient: ReturnType<typeof createPageReader>;
  beforeAll(async () => {
    const { origin, stop } = await startPageServer((request, response) => {
      site.requested.push(request.url ?? "");
      const answer = answers.get(request.url ?? "");
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    site.origin = origin;
    const second = await startPageServer((_request, response) => {
      other.requests++;
      response.writeHead(200, { "content-type": "application/json" }).end(other.body);
    });
    other.origin = second.origin;
    // No limit that a page reaches on a busy machine, except pages that try to.
    const options = { cache: noCache, clock: Date, allowedOrigins: [origin, second.origin], deadlineMs: 300_000 };
    reader = createPageReader({ ...options, processorMs: 60_000 });
    impatient = createPageReader({ ...options, processorMs: 500 });
    atEndOfFile(async () => {
      await Promise.all([reader.close(), impatient.close()]);
      stop();
      second.stop();
    });
  });
  const serve = (path: string, body: string | Uint8Array, type: string) =>
    answers.set(path, page(body, type === "" ? {} : { "content-type": type }));
  const read = (path: string, options: Partial<TextRequest> = {}) =>
    reader.read({ mode: "less", images: false, ...options, url: site.origin + path });
  return {
    /** Reads a page that tries to cost much, in little time: its view, or the error that it is too complex or invalid. */
    async readCostly(path: string, body: string | Uint8Array, type: string) {
      serve(path, body, type);
      const outcome = await impatient
        .read({ url: site.origin + path, mode: "less", images: false })
        .catch((error) => error);
      const kind = expect.stringMatching(/^(?:tooComplex|invalid)$/);
      expect(outcome).toMatchObject(outcome instanceof Error ? { kind } : { html: expect.any(String) });
      serve("/next", "The next one.", "text/plain");
      const next = await impatient.read({ url: `${site.origin}/next`, mode: "less", images: false });
      expect(next.html).toBe("<p>The next one.</p>");
    },
    site,
    other,
    answers,
    serve,
    read,
    /** The view of a page that is served so. */
    viewOf(path: string, body: string | Uint8Array, type: string, options?: Partial<TextRequest>) {
      serve(path, body, type);
      return read(path, options);
    },
    /** The text with which a page that is served so is refused as invalid. */
    async refusalOf(path: string, body: string | Uint8Array, type: string) {
      serve(path, body, type);
      const outcome = await read(path).catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(ServiceError);
      expect((outcome as ServiceError).kind).toBe("invalid");
      return (outcome as ServiceError).message;
    },
    readArticle: (path: string, source: { html?: string } = {}) => reader.readArticle(site.origin + path, source),
  };
}
