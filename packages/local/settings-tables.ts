// SPDX-License-Identifier: MIT

import { readFileSync, writeFileSync } from "node:fs";
import { withTables, writeTable } from "@reading-list/core/contract/generated-tables.ts";
import { serviceVariables } from "@reading-list/core/service-settings.ts";
import type * as z from "zod";
import { knownSettings } from "./settings-file.ts";

const page = new URL("../../docs/self-hosting.md", import.meta.url);

/** The default of a variable as one would write it; empty without one. */
function writeDefault(schema: z.ZodType): string {
  const { data } = schema.safeParse(undefined);
  const value = schema.meta()?.shownDefault ?? (Array.isArray(data) ? data.join() : (data ?? ""));
  return value === "" ? "" : `\`${value}\``;
}

const withTable = (markdown: string, subject: string, rows: readonly (readonly [string, z.ZodType])[]) =>
  withTables(markdown, `settings (${subject})`, [
    writeTable(
      ["variable", "default", "meaning"],
      rows.map(([name, schema]) => [`\`${name}\``, writeDefault(schema), schema.description ?? ""]),
    ),
  ]);

/** `docs/self-hosting.md` with the tables of settings as the schemas have them; each is between two comments. */
export function withSettingsTables(markdown: string): string {
  const described = Object.entries(knownSettings).filter(([, { description }]) => description);
  const ofStage = Object.entries(knownSettings).flatMap(([name, schema]) => {
    const meaning = schema.meta()?.ofStage;
    return typeof meaning === "string" ? [[`\`${name}\``, meaning]] : [];
  });
  const onMachine = withTable(
    markdown,
    "one machine",
    described.filter(([name]) => !(name in serviceVariables)),
  );
  return withTables(
    withTable(onMachine, "machine or stage", Object.entries(serviceVariables)),
    "settings (container mode)",
    [writeTable(["variable", "meaning"], ofStage)],
  );
}

if (import.meta.main) writeFileSync(page, withSettingsTables(readFileSync(page, "utf8")));
