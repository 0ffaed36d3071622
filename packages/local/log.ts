// SPDX-License-Identifier: MIT

/** Logs a line for the administrator: its level, its message and other fields. The log adds the time. */
export type Log = (line: Record<string, unknown>) => void;

type Output = Pick<NodeJS.WriteStream, "write">;

/** An output of JSON lines that writes them as text: time, level, message, the other fields, and a stack below. */
export const writeAsText = (output: Output): Output => ({
  write: (line: string | Uint8Array) => output.write(`${toText(JSON.parse(String(line)))}\n`),
});

function toText({ timestamp, level, message, service: _, places = [], ...fields }: Record<string, unknown>): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [[timestamp, level, message, ...shown].join(" "), ...(places as string[])].join("\n");
}
