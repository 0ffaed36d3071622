// SPDX-License-Identifier: MIT

import { readFileSync, writeFileSync } from "node:fs";
import { withTables, writeTable } from "@reading-list/core/contract/generated-tables.ts";
import type * as z from "zod";
import { knownSettings } from "./settings-file.ts";

const page = new URL("../../docs/self-hosting.md", import.meta.url);

/** The default of a variable as one would write it; empty without one. */
function defaultOf(schema: z.ZodType): string {
  const { data } = schema.safeParse(undefined);
  const value = schema.meta()?.shownDefault ?? (Array.isArray(data) ? data.join() : (data ?? ""));
  return value === "" ? "" : `\`${value}\``;
}

function tableOf(about: "description" | "ofStage"): string {
  const rows = Object.entries(knownSettings).flatMap(([name, schema]) => {
    const meaning = schema.meta()?.[about];
    const shown = about === "description" ? [defaultOf(schema)] : [];
    return typeof meaning === "string" ? [[`\`${name}\``, ...shown, meaning]] : [];
  });
  const columns = ["variable", ...(about === "description" ? ["default"] : []), "meaning"];
  return writeTable(columns, rows);
}

/** `docs/self-hosting.md` with the tables of settings as the schemas have them; each is between two comments. */
export function withSettingsTables(markdown: string): string {
  return (["description", "ofStage"] as const).reduce(
    (text, about) => withTables(text, `settings (${about})`, [tableOf(about)]),
    markdown,
  );
}

if (import.meta.main) writeFileSync(page, withSettingsTables(readFileSync(page, "utf8")));
