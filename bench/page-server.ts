import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page on this machine for `text` to fetch. */
export interface PageServer {
  origin: string;
  stop(): Promise<unknown>;
}

/** Serves one article of usual length under every address. */
export async function servePage(): Promise<PageServer> {
  const paragraph = "<p>Something happened today, and somebody wrote about it at some length, with commas, too.</p>";
  const page = `<!doctype html><title>An article</title><article>${paragraph.repeat(20)}</article>`;
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}
