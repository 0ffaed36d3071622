// SPDX-License-Identifier: MIT

import { operatorState } from "../../contract/operator.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Shows versions and sizes (docs/api.md 13.6). */
export const endpoint = defineOperatorEndpoint(operatorState, async (deps) => {
  const { users, items, articles, articleBytes, databaseBytes, logBytes, diskFreeBytes, isDiskFull } = deps.storage();
  const numbers = {
    users,
    items,
    articles,
    article_bytes: articleBytes,
    database_bytes: databaseBytes,
    log_bytes: logBytes,
    disk_free_bytes: diskFreeBytes,
    disk_full: isDiskFull ? 1 : 0,
  };
  return {
    fields: {
      status: "1",
      version: deps.version,
      node: process.versions.node,
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
      time_backup: String(Math.floor(deps.lastBackup() ?? 0)),
      signup: deps.isSignupOpen ? "open" : "closed",
    },
  };
});
