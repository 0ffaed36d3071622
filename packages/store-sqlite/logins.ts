import { lockoutSeconds, maxFailedLogins } from "@reading-list/core/domain/limits.ts";
import type { LoginAttempt, LoginAttemptStore } from "@reading-list/core/ports.ts";
import type { Database } from "./database.ts";

/** Counts login attempts for the brute-force lockout. */
export function createLoginAttemptStore(database: Database): LoginAttemptStore {
  return {
    begin: (username, source, now) =>
      database.write((): LoginAttempt => {
        const key = { username, source };
        const where = "WHERE username = :username AND source = :source";
        const row = database.get(`SELECT expires, attempts, failed FROM login_attempts ${where}`, key);
        // A span that ends later was begun by a machine with a wrong clock.
        const isOpen = row && Number(row.expires) > now && Number(row.expires) <= now + 2 * lockoutSeconds;
        const expires = isOpen ? Number(row.expires) : now + lockoutSeconds;
        const attempts = isOpen ? Number(row.attempts) : 0;
        const failed = isOpen ? Number(row.failed) : 0;
        if (attempts >= maxFailedLogins) {
          return { kind: failed < maxFailedLogins ? "busy" : "lockedOut", until: expires };
        }
        database.run(
          `INSERT INTO login_attempts VALUES (:username, :source, :expires, :attempts, :failed)
           ON CONFLICT DO UPDATE SET expires = :expires, attempts = :attempts, failed = :failed`,
          { ...key, expires, attempts: attempts + 1, failed },
        );
        /** If it fails the attempt stays counted for some minutes. */
        const settle = (change: string) =>
          database
            .write(() =>
              database.get(`UPDATE login_attempts SET ${change} ${where} AND expires = :expires RETURNING failed`, {
                ...key,
                expires,
              }),
            )
            .catch(() => undefined);
        return {
          kind: "begun",
          fail: async () => Number((await settle("failed = failed + 1"))?.failed ?? 0) >= maxFailedLogins,
          undo: async () => void (await settle("attempts = attempts - 1")),
        };
      }),
  };
}
