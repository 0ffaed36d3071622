// SPDX-License-Identifier: MIT

import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import * as keys from "@reading-list/store-dynamodb/keys.ts";
import { fileName } from "@reading-list/store-sqlite/database.ts";
import { migrations } from "@reading-list/store-sqlite/schema.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { expect, test } from "vitest";

const [, section = ""] = readFileSync("docs/data.md", "utf8").split("## 8. What backups, moves and exports carry");
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .slice(2)
  .map((line) => line.slice(2, -2).split(" | "));
const namesIn = (column: number) =>
  rows.flatMap((row) => [...(row[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

function tablesOfSqlite(): string[] {
  const database = new DatabaseSync(":memory:");
  for (const step of migrations) database.exec(step);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  database.close();
  return tables.map(({ name }) => String(name));
}

/** The kinds of records: the beginnings of their keys. */
function kindsOfDynamodb(): string[] {
  const kinds = Object.entries(keys).flatMap(([name, make]) => {
    if (!/Key$/.test(name)) return [];
    const key = typeof make === "function" ? (make as (...parts: unknown[]) => unknown)("x", "x", "x", 1) : make;
    const { pk, sk } = Object(key) as Record<"pk" | "sk", unknown>;
    if (typeof pk !== "string" || typeof sk !== "string") return [];
    const [partition = "", kind = ""] = [pk, sk].map((part) => part.split("#")[0]);
    return [/^[A-Z_]+$/.test(kind) ? `${partition}/${kind}` : partition];
  });
  return [...new Set(kinds)];
}

test("each table and each kind of record has its line in the table of what backups, moves and exports carry", () => {
  const filesOf = (names: string[]) => names.filter((name) => !name.startsWith("DATA_DIR/"));
  expect([...new Set(filesOf(namesIn(1)))].sort()).toEqual(tablesOfSqlite().sort());
  expect([...new Set(namesIn(2).filter((name) => name !== "PROOF_SECRET"))].sort()).toEqual(kindsOfDynamodb().sort());
  for (const row of rows) expect([row[0], row.length, row.slice(3).includes("")]).toEqual([row[0], 8, false]);
});

test("each file of a data folder has its line there", async () => {
  const DATA_DIR = temporaryFolder();
  const service = await startTestService({ DATA_DIR });
  const user = await service.newUser();
  await user.call("search", { query: "words" });
  const files = readdirSync(DATA_DIR).filter((name) => !name.startsWith(fileName) && name !== "lock");
  expect(namesIn(1)).toEqual(expect.arrayContaining(files.map((name) => `DATA_DIR/${name}`)));
});
