import type { EndpointContract } from "./endpoint.ts";

/** An API of another service, served below `/<name>` of the main host by one function, for that service's clients. */
export interface ApiContract extends Pick<EndpointContract, "caller" | "counted" | "host"> {
  name: string;
  list: "readAndChange";
  /** `keep`: it also reads pages and articles. */
  articles: "keep" | "delete";
  /** Whether it grants tokens to apps. */
  signsIn?: boolean;
}

const ofUsers = { caller: "user", counted: true, host: "main", list: "readAndChange" } as const;

/** THE list of the APIs of other services (docs/apps.md). */
export const apis = [
  { name: "readeck", ...ofUsers, articles: "keep" },
  { name: "wallabag", ...ofUsers, articles: "keep", signsIn: true },
] as const satisfies ApiContract[];

export type ApiName = (typeof apis)[number]["name"];
