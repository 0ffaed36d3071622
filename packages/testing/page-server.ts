// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Answer = RequestListener;

/** A web server of this machine. */
export interface PageServer {
  origin: string;
  stop(): void;
}

/** Starts a web server that answers each request with `answer`. An address from 127.0.0.2 on is another site. */
export async function startPageServer(answer: Answer, address = "127.0.0.1"): Promise<PageServer> {
  const server = createServer(answer).listen(0, address);
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://${address}:${(server.address() as AddressInfo).port}`, stop };
}

/** Starts a web server for the calling test; returns its origin. */
export async function servePages(answer: Answer): Promise<string> {
  const { origin, stop } = await startPageServer(answer);
  onTestFinished(stop);
  return origin;
}

/** An answer with one page. */
export function page(
  body: string | Uint8Array,
  headers: Record<string, string> = { "content-type": "text/html" },
): Answer {
  return (_request, response) => response.writeHead(200, headers).end(body);
}

/** Text that reads like an article, some 1,500 characters. */
export const prose = Array.from(
  { length: 6 },
  (_, number) =>
    `<p>Paragraph ${number} of the article says that the harbour, which had been closed since the storm, was opened again on Monday morning; ` +
    "fishermen, traders and the mayor of the town were there, and all of them agreed that it had taken too long.</p>",
).join("\n");

export const articlePage = `<!doctype html><html><head><title>The harbour is open - Town News</title></head>
<body><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav><h1>The harbour is open</h1><article>${prose}</article>
<aside><h2>Weather</h2><p>Rain tomorrow.</p></aside></body></html>`;
