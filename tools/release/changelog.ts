// SPDX-License-Identifier: MIT

/** The headings of a section of CHANGELOG.md, in their order. */
export const headings = [
  "Upgrade",
  "API",
  "Apps",
  "Text view",
  "Web reader and extension",
  "Client",
  "Import and export",
  "Self-hosting",
  "Deployment",
];

/** More is not read: merge the changesets of one subject into fewer and shorter ones. */
const maxLines = 150;

/**
 * Merges the texts of changesets: the entries of each heading together. Throws if a text has another heading, or none, or
 * if the section has more than 150 lines.
 */
export function mergeChangesets(texts: readonly string[]): string {
  const entries = new Map<string, string[]>(headings.map((heading) => [heading, []]));
  for (const text of texts) {
    const [before = "", ...sections] = text.replace(/^---$.*?^---$/ms, "").split(/^### /m);
    if (before.trim() !== "") throw new Error(`a changeset has text before its first heading: ${before.trim()}`);
    for (const section of sections) {
      const [heading = "", ...lines] = section.split("\n");
      const found = entries.get(heading);
      if (!found) throw new Error(`a changeset has the heading ${heading}; the headings are ${headings.join(", ")}`);
      found.push(lines.join("\n").trim().replaceAll(/\n\n+/g, "\n"));
    }
  }
  const section = [...entries]
    .filter(([, parts]) => parts.length > 0)
    .map(([heading, parts]) => `### ${heading}\n\n${parts.join("\n")}`)
    .join("\n\n");
  const lines = section.split("\n").length;
  if (lines > maxLines) throw new Error(`the section has ${lines} lines, at most ${maxLines}: merge changesets`);
  return section;
}
