// SPDX-License-Identifier: MIT

/** The part that a character belongs to, by the names that systemd has for it in `parse_env_file`. */
type State = "before name" | "name" | "before value" | "value" | "single" | "double" | "comment";

/** Characters that a backslash protects within double quotes; before any other it stays. */
const protectedInQuotes = '"\\`$';

/**
 * The variables of a file as systemd reads it for `EnvironmentFile` (systemd.exec): lines of `NAME=value`, comments with
 * `#` or `;`, quotes, a backslash at the end of a line. Nothing is expanded or executed.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  let state: State = "before name";
  let [name, value, spaces] = ["", "", ""];
  const finish = () => {
    const trimmed = name.trim();
    if (/^[A-Za-z_]\w*$/.test(trimmed)) variables[trimmed] = value;
    [name, value, spaces, state] = ["", "", "", "before name"];
  };
  const append = (characters: string, next: State) => {
    value += spaces + characters;
    [spaces, state] = ["", next];
  };
  for (let i = 0; i < text.length; i++) {
    const each = text[i] as string;
    const isLineEnd = each === "\n" || each === "\r";
    if (state === "before name") {
      if (each === "#" || each === ";") state = "comment";
      else if (!/\s/.test(each)) [name, state] = [each, "name"];
    } else if (state === "comment") {
      if (isLineEnd) state = "before name";
    } else if (state === "name") {
      if (each === "=") state = "before value";
      else if (isLineEnd) [name, state] = ["", "before name"];
      else name += each;
    } else if (state === "single" || state === "double") {
      if (each === (state === "single" ? "'" : '"')) state = "before value";
      else if (state === "double" && each === "\\" && i + 1 < text.length) {
        const next = text[++i] as string;
        if (protectedInQuotes.includes(next)) append(next, state);
        else if (next !== "\n") append(each + next, state);
      } else append(each, state);
    } else if (isLineEnd) finish();
    else if (state === "before value" && (each === "'" || each === '"')) state = each === "'" ? "single" : "double";
    else if (each === "\\") {
      const next = text[++i] ?? "\n";
      if (next !== "\n") append(next, "value");
    } else if (!/\s/.test(each)) append(each, "value");
    // `append` has set it.
    else if ((state as State) === "value") spaces += each;
  }
  if (state !== "name" && state !== "before name" && state !== "comment") finish();
  return variables;
}
