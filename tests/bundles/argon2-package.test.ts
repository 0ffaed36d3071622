import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evaluateStacks } from "../stacks/evaluate.ts";

const folder = mkdtempSync(path.join(tmpdir(), "argon2-package-"));
afterAll(() => rmSync(folder, { recursive: true }));
const packaged = path.join(folder, "package");
let files: string[];

beforeAll(async () => {
  const root = path.join(folder, "root");
  installAsNpmDoes(root);
  cpSync(new URL("../../docs/openapi.json", import.meta.url), path.join(root, "docs/openapi.json"));
  const { packages } = await evaluateStacks("staging", {}, { root });
  for (const { from, to } of packages.Auth ?? []) cpSync(from, path.join(packaged, to));
  files = (packages.Auth ?? []).map(({ to }) => to);
});

/** Fills a folder with argon2 as npm leaves it if the install script has compiled it for the deploying machine. */
function installAsNpmDoes(root: string): void {
  const functionsPackage = new URL("../../packages/functions/package.json", import.meta.url);
  const { resolve } = createRequire(functionsPackage);
  const argon2 = path.dirname(resolve("argon2"));
  const dependencyOf = (name: string) => path.dirname(createRequire(path.join(argon2, "package.json")).resolve(name));
  cpSync(argon2, path.join(root, "node_modules/argon2"), { recursive: true });
  for (const name of ["@phc/format", "node-gyp-build"]) {
    cpSync(dependencyOf(name), path.join(root, "node_modules", name), { recursive: true });
  }
  const compiled = path.join(root, "node_modules/argon2/build/Release");
  mkdirSync(compiled, { recursive: true });
  writeFileSync(path.join(compiled, "argon2.node"), "compiled for another processor");
}

/** The binary that the packaged node-gyp-build loads on Lambda: arm64, Linux, glibc. */
function selectBinary(): string {
  const script = 'console.log(require("./node_modules/node-gyp-build").path("./node_modules/argon2"))';
  const env = { npm_config_arch: "arm64", npm_config_platform: "linux", LIBC: "glibc" };
  return execFileSync(process.execPath, ["-e", script], { cwd: packaged, env, encoding: "utf8" }).trim();
}

const machineOf = (binary: Buffer) => [binary.toString("latin1", 1, 4), binary.readUInt16LE(18)];
/** The number of ELF for the processor AArch64. */
const aarch64 = 183;

test("the package contains nothing compiled on the deploying machine", () => {
  expect(files).toContain("node_modules/argon2/argon2.cjs");
  expect(files.filter((file) => file.includes("/build/"))).toEqual([]);
});

test("every binary of the package is for Lambda's processor", () => {
  const binaries = files.filter((file) => file.endsWith(".node"));
  expect(binaries).not.toEqual([]);
  for (const file of binaries) expect(machineOf(readFileSync(path.join(packaged, file)))).toEqual(["ELF", aarch64]);
});

test("the binary that argon2 loads on Lambda needs at most its glibc, 2.34", () => {
  const selected = selectBinary();
  expect(path.relative(packaged, selected)).toMatch(/^node_modules\/argon2\/prebuilds\/linux-arm64\/.*glibc\.node$/);
  const versions = [...readFileSync(selected, "latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  expect(versions).not.toEqual([]);
  expect(Math.max(...versions)).toBeLessThanOrEqual(34);
});
