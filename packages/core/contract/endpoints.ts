// SPDX-License-Identifier: MIT

import { add } from "./add.ts";
import { api } from "./api.ts";
import { app_passwords } from "./app_passwords.ts";
import { article } from "./article.ts";
import { auth } from "./auth.ts";
import { delete_account } from "./delete_account.ts";
import { get } from "./get.ts";
import { highlights } from "./highlights.ts";
import { kept } from "./kept.ts";
import { password } from "./password.ts";
import { search } from "./search.ts";
import { send } from "./send.ts";
import { share } from "./share.ts";
import { signup } from "./signup.ts";
import { stats } from "./stats.ts";
import { text } from "./text.ts";
import { trash } from "./trash.ts";

/** THE list of endpoints, in the order of docs/api.md 4. */
export const endpoints = [
  add,
  send,
  stats,
  get,
  auth,
  signup,
  text,
  api,
  article,
  app_passwords,
  password,
  delete_account,
  trash,
  highlights,
  search,
  kept,
  share,
] as const;

export type EndpointName = (typeof endpoints)[number]["name"];
