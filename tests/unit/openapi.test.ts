import { readFileSync } from "node:fs";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { expect, test } from "vitest";
import { openApiText } from "../../docs/openapi.ts";

const kept = readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8");

test("docs/openapi.json is what `npm run openapi` writes", () => {
  expect(kept).toBe(openApiText());
});

test("docs/openapi.json describes every endpoint by GET and POST, with its parameters", () => {
  const { paths } = JSON.parse(kept);
  expect(Object.keys(paths)).toEqual(endpoints.map(({ name }) => `/v2/${name}`));
  for (const { name, input } of endpoints) {
    const { get, post } = paths[`/v2/${name}`];
    const parameters = get.parameters.map((parameter: { name: string }) => parameter.name);
    expect(parameters).toEqual(Object.keys(input.shape));
    const { properties } = post.requestBody.content["application/x-www-form-urlencoded"].schema;
    expect(Object.keys(properties)).toEqual(parameters);
    expect(Object.keys(get.responses)).toEqual(["200", "400", "401", "403", "503"]);
  }
});
