// SPDX-License-Identifier: MIT

// In a bundle of one file, esbuild drops the beginning of zod, which the protocol's package uses, too, if that package is
// loaded later alone: the function would not start.
import "@modelcontextprotocol/server";

/** The API with the implementation of the protocol, for a function that serves it alone. */
export { mcp } from "./api.ts";
