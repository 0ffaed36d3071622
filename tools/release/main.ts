// SPDX-License-Identifier: MIT

/**
 * `npm run release`: moves the changesets into a new section of CHANGELOG.md and gives all packages its version. `npm
 * run release notes vX.Y.Z`: prints the section of that version, which must be the version of the packages. `npm run
 * release program FOLDER`: writes the program into a folder, as a server runs it. `npm run release files FOLDER
 * [IMAGE]`: writes the files of a release into a folder; IMAGE is the image by its digest.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import client from "../../packages/client/package.json" with { type: "json" };
import { mergeChangesets } from "./changelog.ts";
import { writeProgram } from "./program.ts";

const [command, given = "", image] = process.argv.slice(2);
const run = (program: string, ...options: string[]) => execFileSync(program, options, { stdio: "inherit" });
const changelog = readFileSync("CHANGELOG.md", "utf8");

switch (command) {
  case undefined:
    raiseVersion();
    break;
  case "notes":
    process.stdout.write(notesOf(given));
    break;
  case "program":
    await writeProgram(given);
    break;
  case "files":
    // Imported here, because the build of the image has no part of the extension.
    await (await import("./files.ts")).writeFiles(given, client.version, image);
    break;
  default:
    throw new Error(`no command is called ${command}`);
}

function raiseVersion(): void {
  const texts = globSync(".changeset/*.md")
    .filter((file) => !file.endsWith("README.md"))
    .sort()
    .map((file) => readFileSync(file, "utf8"));
  run("npm", "run", "changeset", "--", "version");
  const { version } = JSON.parse(readFileSync("packages/client/package.json", "utf8"));
  run("npm", "pkg", "set", `version=${version}`);
  run("npm", "install", "--package-lock-only");
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`;
  writeFileSync("CHANGELOG.md", changelog.replace(/^## /m, `${heading}\n\n${mergeChangesets(texts)}\n\n## `));
}

function notesOf(tag: string): string {
  if (tag !== `v${client.version}`) throw new Error(`the tag ${tag} is not v${client.version}, the packages' version`);
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${client.version} `));
  if (!section) throw new Error(`CHANGELOG.md has no section ${client.version}`);
  return section.slice(section.indexOf("\n")).trimStart();
}
