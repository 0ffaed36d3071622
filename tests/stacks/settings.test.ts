import { expect, test } from "vitest";
import { readStageSettings } from "../../stacks/settings.ts";
import { evaluateStacks } from "./evaluate.ts";

test.each([
  ["a domain with a scheme", { BASE_DOMAIN: "https://api.example.com" }, /^BASE_DOMAIN: must be a domain name/],
  ["a domain without a dot", { TEXT_DOMAIN: "localhost" }, /^TEXT_DOMAIN: must be a domain name/],
  [
    "one domain for both hosts",
    { BASE_DOMAIN: "example.com", TEXT_DOMAIN: "example.com" },
    /^TEXT_DOMAIN: must differ/,
  ],
  ["a production stage whose alarms nobody hears", { ALARM_EMAIL: "" }, /^ALARM_EMAIL: must name who/],
  ["an e-mail address without a domain", { ALARM_EMAIL: "ops" }, /^ALARM_EMAIL: must be one e-mail address/],
  ["two e-mail addresses", { ALARM_EMAIL: "a@example.com,b@example.com" }, /^ALARM_EMAIL: must be one/],
  ["a setting of X-Ray that is neither on nor off", { ALARM_EMAIL: "a@example.com", XRAY: "yes" }, /^XRAY: must be/],
  [
    "a table whose name has a space",
    { ALARM_EMAIL: "a@example.com", RESTORED_TABLE: "the list" },
    /^RESTORED_TABLE: must be the name of a table/,
  ],
  ["a limit that is no number", { KEY_LIMIT: "many" }, /^KEY_LIMIT: /],
])("%s is refused with the name of the variable", (_, variables, message) => {
  expect(() => readStageSettings("production", variables)).toThrow(message);
});

test("a deployment with a setting that makes no sense ends before anything is created", async () => {
  await expect(evaluateStacks("production", { BASE_DOMAIN: "nonsense" })).rejects.toThrow(/BASE_DOMAIN: must be/);
  await expect(evaluateStacks("production", { ALARM_EMAIL: "nonsense" })).rejects.toThrow(/ALARM_EMAIL: must be/);
});

test("an empty variable is the same as none", () => {
  expect(readStageSettings("dev", { BASE_DOMAIN: "", USER_LIMIT: "" })).toEqual(readStageSettings("dev", {}));
});

test("a restored table takes the place of the stage's own, which stays", async () => {
  const { resources, outputs } = await evaluateStacks("staging", { RESTORED_TABLE: "restored" });
  expect(outputs.tableName).toBe("restored");
  const tables = resources.filter(({ type }) => type === "aws:dynamodb/table:Table");
  expect(tables.map(({ name }) => name)).toEqual(["ReadingListTable"]);
  const own = String(tables[0]?.inputs.name);
  for (const { type, name, inputs } of resources.filter(({ type }) => /Function$|iam\/role:Role$/.test(type))) {
    expect(JSON.stringify(inputs), `${type} ${name}`).not.toContain(own);
  }
  const add = resources.find(({ name }) => name === "AddFunction");
  expect(add?.inputs.environment).toMatchObject({ variables: { TABLE_NAME: "restored" } });
});
