import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readStageSettings, type StageSettings } from "../../stacks/settings.ts";

/** The cells of a table row in the docs, by its first cell. */
const rows = new Map(
  [...readFileSync("docs/aws/capacity.md", "utf8").matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, limit = "", production = "", other = ""]) => [limit, [production, other]],
  ),
);
const stages = [readStageSettings("production", { ALARM_EMAIL: "ops@example.com" }), readStageSettings("dev-ann", {})];

test.each<[row: string, defaultOf: (settings: StageSettings) => number | undefined]>([
  ["calls a second to each host, sustained", ({ throttle }) => throttle.rate],
  ["calls to each host in a burst", ({ throttle }) => throttle.burst],
  ["calls of one key in an hour", ({ variables }) => Number(variables.KEY_LIMIT)],
  ["calls of one user in an hour", ({ variables }) => Number(variables.USER_LIMIT)],
  ["calls of one address with a public key in an hour", ({ variables }) => Number(variables.PUBLIC_KEY_ADDRESS_LIMIT)],
  ["read units of the table a second", ({ tableUnits }) => tableUnits.read],
  ["write units of the table a second", ({ tableUnits }) => tableUnits.write],
  ["pages of one key read at once", ({ textsAtOnce }) => textsAtOnce],
  ["pages of a list", ({ variables }) => Number(variables.LIST_LIMIT)],
  ["signups at once", ({ reservedConcurrency }) => reservedConcurrency.signup],
  ["pages read at once", ({ reservedConcurrency }) => reservedConcurrency.text],
])("docs/aws/capacity.md has the default of: %s", (row, defaultOf) => {
  expect(rows.get(row)).toEqual(stages.map((stage) => defaultOf(stage)?.toLocaleString("en") ?? "not reserved"));
});
