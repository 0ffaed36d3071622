export interface Line {
  /** Without its line break. */
  text: string;
  /** From 1. */
  number: number;
  /** False if the text ends before the line break. */
  isEnded: boolean;
}

/** The lines of a text that arrives in chunks. They end with LF or CRLF. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = "";
  let number = 1;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield { text: line.replace(/\r$/, ""), number: number++, isEnded: true };
  }
  if (rest !== "") yield { text: rest, number, isEnded: false };
}
