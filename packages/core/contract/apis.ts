// SPDX-License-Identifier: MIT

import type { EndpointContract } from "./endpoint.ts";

/** An API of another service, served below `/<name>` of the main host by one function, for that service's clients. */
export interface ApiContract extends Pick<EndpointContract, "host"> {
  name: string;
  caller: "user";
  counted: true;
  list: "readAndChange";
  articles: "keep";
  /** It signs apps in. */
  account: "signIns";
  /** It shows and changes highlights. */
  highlights?: true;
}

const ofUsers = {
  caller: "user",
  counted: true,
  host: "main",
  list: "readAndChange",
  articles: "keep",
  account: "signIns",
} as const;

/** THE list of the APIs of other services (docs/apps.md). */
export const apis = [
  { name: "readeck", ...ofUsers, highlights: true },
  { name: "wallabag", ...ofUsers },
] as const satisfies ApiContract[];
