import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import client from "../packages/client/package.json" with { type: "json" };

/**
 * `npm run release`: moves the changesets into a new section of CHANGELOG.md and gives all packages its version.
 * `npm run release notes vX.Y.Z`: prints the section of that version, which must be that of the packages.
 */
const [command, tag] = process.argv.slice(2);
const changelog = readFileSync("CHANGELOG.md", "utf8");
const run = (program: string, ...options: string[]) => execFileSync(program, options, { stdio: "inherit" });

if (command === "notes") {
  if (tag !== `v${client.version}`) throw new Error(`the tag ${tag} is not v${client.version}, the packages' version`);
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${client.version} `));
  if (!section) throw new Error(`CHANGELOG.md has no section ${client.version}`);
  process.stdout.write(section.slice(section.indexOf("\n")).trimStart());
} else {
  const texts = globSync(".changeset/*.md")
    .filter((file) => !file.endsWith("README.md"))
    .sort()
    .map((file) =>
      readFileSync(file, "utf8")
        .replace(/^---$.*?^---$/ms, "")
        .trim(),
    );
  run("npm", "run", "changeset", "--", "version");
  const { version } = JSON.parse(readFileSync("packages/client/package.json", "utf8"));
  run("npm", "pkg", "set", `version=${version}`);
  run("npm", "install", "--package-lock-only");
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})`;
  const section = [heading, ...texts].join("\n\n");
  writeFileSync("CHANGELOG.md", changelog.replace(/^## /m, `${section}\n\n## `));
}
