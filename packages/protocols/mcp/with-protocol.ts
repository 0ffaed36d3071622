// SPDX-License-Identifier: MIT

// In a bundle of one file, esbuild drops the beginning of zod, which the protocol's package uses, too, if only that
// package is loaded later: the function would not start.
import "@modelcontextprotocol/server";

/** The API with the implementation of the protocol, for a function that serves nothing else. */
export { mcp } from "./api.ts";
