// SPDX-License-Identifier: MIT

import { globSync, readFileSync } from "node:fs";
import { expect, inject, test } from "vitest";
import config from "../../vitest.config.ts";
import { onEachDatabase, parts } from "../parts.ts";

interface Project {
  test: { name: string; include: string[]; exclude: string[] };
}

const projects = config.test?.projects as Project[];
const names = projects.map(({ test: { name } }) => name);
const filesOf = ({ test: { include, exclude } }: Project) => globSync(include, { exclude });
const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const projectsIn = (commands: string) => [...commands.matchAll(/--project ([\w-]+)/g)].map(([, name = ""]) => name);
const testFiles = globSync("tests/**/*.test.ts").sort();

test.skipIf(!inject("dynamodbEndpoint"))("every test file belongs to one part, and is run by it", () => {
  const inOneDatabase = projects.filter(({ test: { name } }) => !name.startsWith("dynamodb"));
  expect(inOneDatabase.flatMap(filesOf).sort()).toEqual(testFiles);
});

test("every name in the list of parts and of databases names a test file", () => {
  const globs = [...Object.values(parts), ...Object.values(onEachDatabase)].flat();
  expect(globs.filter((glob) => globSync(glob).length === 0)).toEqual([]);
  const slow = new Set(globSync(parts.slow));
  expect(globSync(onEachDatabase.slow).filter((file) => !slow.has(file))).toEqual([]);
  expect(globSync(onEachDatabase.quick).filter((file) => slow.has(file))).toEqual([]);
});

test("npm test and npm run test:slow run each project of the configuration in one of them", () => {
  const run = [...projectsIn(scripts.test), ...projectsIn(scripts["test:slow"])];
  expect(run.filter((name) => !name.startsWith("dynamodb") || names.includes(name)).sort()).toEqual([...names].sort());
});

test("CI runs each part of npm run test:slow in a job, and .ci/run all of them after npm test", () => {
  const workflow = readFileSync(".github/workflows/ci.yml", "utf8");
  expect(projectsIn(workflow).sort()).toEqual(projectsIn(scripts["test:slow"]).sort());
  expect(workflow).toContain("run: npm test");
  expect(readFileSync(".ci/run", "utf8")).toContain("\nnpm test\nnpm run test:slow\n");
});
