// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { beginLogin, endLogin, inSpan, type LoginAttempts } from "@reading-list/core/domain/lockout.ts";
import { tooManyLogins } from "@reading-list/core/errors.ts";
import type { LoginAttemptStore } from "@reading-list/core/ports/sign-ins.ts";
import type { Database } from "./database.ts";

/**
 * Counts failed sign-ins for the brute-force lockout. Sign-ins in progress are in memory, because they end with the
 * process.
 */
export function createLoginAttemptStore(database: Database): LoginAttemptStore {
  const underWay = new Map<string, LoginAttempts["underWay"]>();

  return {
    async begin(username, source, now) {
      const key = { username, source };
      const name = JSON.stringify(key);
      const id = randomUUID();
      const read = (): LoginAttempts => {
        const where = "WHERE username = :username AND source = :source";
        const row = database.get(`SELECT expires, failed FROM login_attempts ${where}`, key);
        return {
          expires: Number(row?.expires ?? 0),
          failed: Number(row?.failed ?? 0),
          underWay: underWay.get(name) ?? {},
        };
      };
      const keepUnderWay = (attempts: LoginAttempts) => {
        if (Object.keys(attempts.underWay).length > 0) underWay.set(name, attempts.underWay);
        else underWay.delete(name);
      };

      const begun = beginLogin(read(), id, now);
      if (begun.kind !== "begun") return begun;
      keepUnderWay(begun.attempts);
      const { expires } = begun.attempts;
      return {
        kind: "begun",
        fail: () =>
          database.write(() => {
            const ended = endLogin(inSpan(read(), expires), id, true);
            if (!ended) throw tooManyLogins();
            keepUnderWay(ended);
            database.run(
              `INSERT INTO login_attempts VALUES (:username, :source, :expires, :failed, :failed)
               ON CONFLICT DO UPDATE SET expires = :expires, attempts = :failed, failed = :failed`,
              { ...key, expires: ended.expires, failed: ended.failed },
            );
            return ended;
          }),
        undo: async () => {
          const ended = endLogin(read(), id, false);
          if (ended) keepUnderWay(ended);
        },
      };
    },
  };
}
