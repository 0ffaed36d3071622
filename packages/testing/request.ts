import type { HttpRequest } from "@reading-list/http/call.ts";

/** A request with these parts. */
export const requestOf = (parts: Partial<HttpRequest>): HttpRequest => ({
  ...{ method: "GET", path: "/", query: "", headers: {}, body: Buffer.alloc(0), address: "127.0.0.1", id: "id" },
  ...parts,
});
