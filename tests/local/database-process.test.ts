import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DatabaseProgram, findDatabase } from "@reading-list/local/database-program.ts";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { expect, onTestFinished, test } from "vitest";

/** A database program that fails at its first start as if another process had just taken its port. */
function failingOnce(marker: string): DatabaseProgram {
  const program = findDatabase();
  const script = 'if mkdir "$0" 2>/dev/null; then echo "port 1 is already in use" >&2; exit 1; fi; exec "$@"';
  return {
    ...program,
    command: "/bin/sh",
    argumentsFor: (address, folder) => [
      "-c",
      script,
      marker,
      program.command,
      ...program.argumentsFor(address, folder),
    ],
  };
}

test("the database starts on another port if another process takes the chosen one first", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const marker = path.join(folder, "failed");
  const database = await startEmbeddedDatabase(":memory:", failingOnce(marker));
  onTestFinished(database.stop);
  expect(existsSync(marker)).toBe(true);
  expect(database.endpoint).toMatch(/^http:/);
});
