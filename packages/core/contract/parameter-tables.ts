// SPDX-License-Identifier: MIT

import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { applicationFields, type EndpointContract, userFields } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { withTables, writeTable } from "./generated-tables.ts";
import { operatorEndpoints } from "./operator.ts";

const page = new URL("../../../docs/api.md", import.meta.url);

/** The parameters that the first paragraph of section 4 names for all endpoints. */
const common = new Set(Object.keys({ ...applicationFields, ...userFields }));

/** The description of a field in the contract, even if it is wrapped as optional. */
const describe = (field: z.ZodType): string =>
  field.meta()?.description ?? (field instanceof z.ZodOptional ? describe(field.unwrap() as z.ZodType) : "");

const list = (names: string[]) => names.map((name) => `\`${name}\``).join(", ");

/** The fields of an entry; optional ones are last. */
function describeEntry(entry: z.ZodType): string {
  if (!(entry instanceof z.ZodObject)) return "(strings)";
  const names = Object.keys(entry.shape);
  const required = entry.meta()?.required;
  const optional = Array.isArray(required) ? names.filter((name) => !required.includes(name)) : [];
  const needed = list(names.filter((name) => !optional.includes(name)));
  return optional.length > 0 ? `${needed}; optional ${list(optional)}` : needed;
}

/** Tables of an endpoint: its parameters, and the fields of its answer. Empty without both. */
function writeTables({ input, answer, entries = {} }: EndpointContract): string[] {
  const parameters = Object.entries(input.shape as Record<string, z.ZodType>).filter(([name]) => !common.has(name));
  const hasEntries = parameters.some(([name]) => name in entries);
  const rows = parameters.map(([name, field]) => {
    const entry = entries[name];
    const isRequired = !field.safeParse(undefined).success;
    const required = hasEntries ? "none" : isRequired ? "yes" : "no";
    return [`\`${name}\``, entry ? describeEntry(entry) : required, describe(field)];
  });
  const fields = answer.kind === "fields" ? Object.entries(answer.fields.shape as Record<string, z.ZodType>) : [];
  const fieldRows = fields.map(([name, field]) => [`\`${name}\``, describe(field)]);
  return [
    ...(rows.length > 0
      ? [writeTable(["parameter", hasEntries ? "fields of an entry" : "required", "meaning"], rows)]
      : []),
    ...(fieldRows.length > 0 ? [writeTable(["field of the answer", "meaning"], fieldRows)] : []),
  ];
}

/** `docs/api.md` with the tables of section 4 as the contract has them; each is between two comments. */
export function withParameterTables(markdown: string): string {
  return [...endpoints, ...operatorEndpoints].reduce(
    (text, endpoint) => withTables(text, `tables of ${endpoint.name}`, writeTables(endpoint)),
    markdown,
  );
}

if (import.meta.main) writeFileSync(page, withParameterTables(readFileSync(page, "utf8")));
