import { writeFileSync } from "node:fs";
import { type Subject, tableOf } from "@reading-list/testing/table-text.ts";

const docs = new URL("../docs/", import.meta.url);

/** Writes docs/measurements.md from the results of a run. */
export function writeMeasurements(machine: string, subjects: readonly Subject[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const [processor = ""] = machine.split(",");
  const sections = subjects.map((subject) => {
    const [title, ...table] = tableOf(subject).split("\n");
    const measuredOn = hasAbsoluteTimes(subject) ? `Measured ${date} on ${processor}. ` : "";
    return `## ${title}\n\n${measuredOn && `${measuredOn}Compare ratios, not times, with another machine.\n\n`}${asCode(table.join("\n"))}`;
  });
  const page = [
    "# Measurements",
    "`npm run bench -- --docs` measures again and writes this page, in about five minutes. `npm run bench` only prints the " +
      "tables; `--quick` takes one minute and gives inaccurate numbers, `--json` prints JSON. " +
      "[operations.md](operations.md) has the cost of a million calls and the cold starts.",
    `As of ${date}:`,
    asCode(machine),
    ...sections,
  ].join("\n\n");
  writeFileSync(new URL("measurements.md", docs), `${page}\n`);
}

const hasAbsoluteTimes = ({ title, rows }: Subject) =>
  /milliseconds|processor time/i.test(title) || Object.keys(rows[0] ?? {}).some((name) => /\bms\b|calls\/s/.test(name));

const asCode = (text: string) => text.trimEnd().replace(/^(?=.)/gm, "    ");
