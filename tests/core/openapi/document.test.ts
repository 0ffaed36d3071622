// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { listMethods } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { openApiText } from "@reading-list/core/contract/openapi.ts";
import { withParameterTables } from "@reading-list/core/contract/parameter-tables.ts";
import { expect, test } from "vitest";

const kept = readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8");

test("docs/openapi.json is what `npm run openapi` writes", () => {
  expect(kept).toBe(openApiText());
});

test("docs/api.md has the tables of parameters and fields that `npm run openapi` writes into section 4", () => {
  const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
  expect(page).toBe(withParameterTables(page));
});

test("docs/openapi.json describes every endpoint by POST and, for old clients of the published ones, by GET, with its parameters", () => {
  const { paths, components } = JSON.parse(kept);
  expect(Object.keys(paths)).toEqual(endpoints.map(({ name }) => `/v2/${name}`));
  for (const endpoint of endpoints) {
    const { name, host, tag, input } = endpoint;
    const { servers, post, get } = paths[`/v2/${name}`];
    expect(servers?.[0].url).toBe(host === "text" ? "{text_url}" : undefined);
    expect([post.operationId, post.tags]).toEqual([name, [tag]]);
    const parameters = Object.keys(input.shape);
    expect(post.requestBody.required).toBe(true);
    for (const { schema } of Object.values<{ schema: { $ref: string } }>(post.requestBody.content)) {
      const form = components.schemas[schema.$ref.split("/").at(-1) ?? ""];
      expect(Object.keys(form.properties)).toEqual(parameters);
    }
    expect(Object.keys(post.responses)).toEqual(["200", "400", "401", "403", "404", "413", "429", "431", "503"]);
    expect(get === undefined).toBe(!listMethods(endpoint).includes("GET"));
    if (!get) continue;
    expect([get.operationId, get.tags]).toEqual([`${name}ByGet`, [tag]]);
    expect(get.description).toMatch(/^For old clients; puts the (API key|password) in the URL\./);
    expect(get.parameters.map((parameter: { name: string }) => parameter.name)).toEqual(parameters);
    expect(Object.keys(get.responses)).toEqual(["200", "400", "401", "403", "404", "429", "431", "503"]);
  }
});

test("docs/openapi.json allows the parameters that the service allows, empty ones too, and refuses count=0", () => {
  const { properties } = JSON.parse(kept).components.schemas.GetForm;
  for (const parameter of ["format", "state", "myAppOnly", "tags", "deleted"]) {
    expect(properties[parameter].enum, parameter).toContain("");
  }
  const values = { since: ["", "0", "1700000000"], count: ["", "1", "007"], page: ["", "1", "20"] };
  for (const [parameter, allowed] of Object.entries(values)) {
    const pattern = new RegExp(properties[parameter].pattern);
    expect(allowed.filter((value) => !pattern.test(value))).toEqual([]);
    expect(["-1", "1.5", "x", ...(parameter === "since" ? [] : ["0"])].filter((value) => pattern.test(value))).toEqual(
      [],
    );
  }
});
