import { IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Sends an error answer. */
type Refuse = (response: ServerResponse, status: number, message: string) => void;

/** What API Gateway allows for the request line and all header values. */
export const headTooLong =
  "the request line and headers exceed 10,240 bytes; send parameters in the body of a POST, not in the URL, and shorten the headers";

const unescapedUrl =
  "the URL has a space, a control character or a character outside ASCII; percent-encode it as UTF-8, or send the parameters in the body of a POST";

/** Milliseconds in which a client can read its answer although it is still sending; closing at once would reset the connection. */
const lingerMs = 2000;

/**
 * Lets a server answer with `refuse` what Node answers by itself, with a bare status or not at all: requests that its
 * parser rejects, and CONNECT. An unknown `Expect` is ignored, which RFC 9110 allows.
 */
export function refuseMalformedRequests(server: Server, refuse: Refuse): void {
  /** The last request of a connection, until it is answered. */
  const underWay = new WeakMap<Socket, ServerResponse>();
  const rejected = new WeakSet<Socket>();
  server.on("request", ({ socket }, response) => {
    underWay.set(socket, response);
    response.once("close", () => {
      if (underWay.get(socket) === response) underWay.delete(socket);
    });
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (request, socket: Socket) => {
    // Node has removed its own listeners from the socket.
    socket.on("error", () => {}).resume();
    refuseFinally(new ServerResponse(request), socket, 404, "CONNECT is not supported; use GET or POST");
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    if (!socket.writable) return void socket.destroy();
    // The parser reports each further packet.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    const response = underWay.get(socket);
    // What follows a complete request does not change its answer.
    if (response && (response.req.complete || response.headersSent)) response.once("close", () => endSocket(socket));
    else refuseFinally(response ?? new ServerResponse(new IncomingMessage(socket)), socket, ...refusalOf(error));
  });

  /** Sends the last answer of a connection. */
  function refuseFinally(response: ServerResponse, socket: Socket, status: number, message: string): void {
    if (!underWay.has(socket)) response.assignSocket(socket);
    response.setHeader("connection", "close").once("finish", () => endSocket(socket));
    refuse(response, status, message);
  }
}

function endSocket(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

interface ParserError extends NodeJS.ErrnoException {
  /** Why the parser rejects the request, without any of its text. */
  reason?: string;
}

function refusalOf({ code, reason = "it is incomplete" }: ParserError): [status: number, message: string] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return [431, headTooLong];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [408, "the request did not arrive in time; send it again"];
    case "HPE_INVALID_URL":
    // A space ends the URL, so that the parser finds the rest of it in place of the protocol.
    case "HPE_INVALID_CONSTANT":
      return [400, unescapedUrl];
    default:
      return [400, `the request is not valid HTTP/1.1 (${reason}); correct it`];
  }
}
