// SPDX-License-Identifier: MIT

import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpAnswer } from "@reading-list/http/call.ts";

/** The answer to a request that API Gateway refuses by itself. */
export type Refuse = (status: number, message: string) => HttpAnswer;

/** API Gateway's limit of the request line and all header values, in bytes. */
export const headTooLong =
  "the request line and headers exceed 10,240 bytes; send parameters in the body of a POST, not in the URL, and shorten the headers";

const unescapedUrl =
  "the URL contains a space, a control character or a character outside ASCII; percent-encode it as UTF-8, or send the parameters in the body of a POST";

/**
 * Lets a server answer requests that its parser rejects with `refuse`, instead of a bare status: old clients send
 * unescaped URLs, and show `X-Error`. The connection is closed.
 */
export function refuseMalformedRequests(server: Server, refuse: Refuse): void {
  server.on("clientError", (error: ParserError, socket: Socket) => {
    if (!socket.writable) return void socket.destroy();
    const [status, message] = explainRefusal(error);
    const { headers, body } = refuse(status, message);
    const all = { ...headers, Connection: "close", "Content-Length": Buffer.byteLength(body) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  });
}

interface ParserError extends NodeJS.ErrnoException {
  /** Why the parser rejects the request, without any of its text. */
  reason?: string;
}

function explainRefusal({ code, reason = "it is incomplete" }: ParserError): [status: number, message: string] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return [431, headTooLong];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [408, "the request did not arrive in time; send it again"];
    case "HPE_INVALID_URL":
    // A space ends the URL, so the parser finds the rest of the URL where the protocol should be.
    case "HPE_INVALID_CONSTANT":
      return [400, unescapedUrl];
    default:
      return [400, `the request is not valid HTTP/1.1 (${reason}); correct it`];
  }
}
