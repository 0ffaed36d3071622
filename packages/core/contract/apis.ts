import type { EndpointContract } from "./endpoint.ts";

/** An API of another service, served below `/<name>` of the main host by one function, for that service's clients. */
export interface ApiContract extends Pick<EndpointContract, "caller" | "counted" | "host"> {
  name: string;
  list: "readAndChange";
  articles: "keep";
  /** Whether it grants tokens to apps. */
  signsIn?: boolean;
}

const ofUsers = { caller: "user", counted: true, host: "main", list: "readAndChange", articles: "keep" } as const;

/** THE list of the APIs of other services (docs/apps.md). */
export const apis = [
  { name: "readeck", ...ofUsers },
  { name: "wallabag", ...ofUsers, signsIn: true },
] as const satisfies ApiContract[];
