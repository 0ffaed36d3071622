import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Pages that `text` reads; few, so that what is kept of them does not grow. */
export const pageCount = 12;

/** What a text view of a page must hold. */
export const sentenceOf = (page: number) => `This sentence stands on page ${page} and on no other.`;

const paragraph = "<p>Something happened today, and somebody wrote about it at some length, with commas, too.</p>";
const cachings: Record<string, string>[] = [
  { "cache-control": "max-age=2" },
  { "cache-control": "no-cache", etag: '"same"' },
  { "cache-control": "no-store" },
];

/** Serves pages on this machine at `/1`, `/2` and so on, each cacheable in its way; others are 404. */
export async function servePages(): Promise<{ origin: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const page = Number(request.url?.slice(1));
    if (!(page >= 1 && page <= pageCount)) return response.writeHead(404).end("not found");
    const headers: Record<string, string> = { "content-type": "text/html", ...cachings[page % cachings.length] };
    if (headers.etag && request.headers["if-none-match"] === headers.etag)
      return response.writeHead(304, headers).end();
    const body = `<article><p>${sentenceOf(page)}</p>${paragraph.repeat(20)}</article>`;
    return response.writeHead(200, headers).end(`<!doctype html><title>Page ${page}</title>${body}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
