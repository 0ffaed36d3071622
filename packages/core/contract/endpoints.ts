import { add } from "./add.ts";
import { api } from "./api.ts";
import { article } from "./article.ts";
import { auth } from "./auth.ts";
import { get } from "./get.ts";
import { send } from "./send.ts";
import { signup } from "./signup.ts";
import { stats } from "./stats.ts";
import { text } from "./text.ts";

/** THE list of endpoints, in the order of docs/api.md 4. */
export const endpoints = [add, send, stats, get, auth, signup, text, api, article] as const;

export type EndpointName = (typeof endpoints)[number]["name"];
