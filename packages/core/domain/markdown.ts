// SPDX-License-Identifier: MIT

import { Parser } from "htmlparser2";
import { inlineElements, rubyElements } from "./article-markup.ts";
import { nextTurn } from "./turns.ts";

/** UTF-16 units of HTML that are parsed in one turn of the event loop: some 4 ms. */
const partOfTurn = 25_000;

/**
 * Writes the HTML of a kept article, which has at most 120 levels of elements, as Markdown (CommonMark, tables of GFM).
 * Images become their descriptions, because an app that loads them would reveal the reader to their sites.
 */
export async function writeMarkdown(html: string): Promise<string> {
  const writer = new MarkdownWriter();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      onclosetag: (name) => writer.close(name),
      ontext: (text) => writer.write(text),
    },
    { decodeEntities: true },
  );
  for (let start = 0; start < html.length; start += partOfTurn) {
    parser.write(html.slice(start, start + partOfTurn));
    await nextTurn();
  }
  parser.end();
  return writer.finish();
}

/** Levels of block quotes and lists, and of emphasis and links, that are written; deeper ones would take quadratic time. */
const maxContainers = 8;
const maxInlines = 8;

/** A block quote or an entry of a list: the prefix of its lines, and of its first line. */
interface Container {
  first: string;
  rest: string;
}

/** Emphasis or a link, whose opening mark is written ahead of its first character. */
interface Inline {
  mark: string;
  end: string;
  isWritten: boolean;
}

const headings: Record<string, string> = { h1: "# ", h2: "## ", h3: "### ", h4: "#### ", h5: "##### ", h6: "###### " };
const emphases: Record<string, string> = { em: "*", i: "*", strong: "**", b: "**", del: "~~", s: "~~" };
/** Elements that are part of a line; all others begin a block. */
const phrasing = new Set([...inlineElements, ...rubyElements, "data", "span"]);

class MarkdownWriter {
  readonly #lines: string[] = [];
  /** Parts of the open block, and white space that has to be written before the next character. */
  #block: string[] = [];
  #space = "";
  #prefix = "";
  #needsBlankLine = false;
  readonly #containers: Container[] = [];
  #deeperContainers = 0;
  readonly #inlines: Inline[] = [];
  #deeperInlines = 0;
  /** The number of the next entry of each open list; undefined in one without numbers. */
  readonly #lists: { next: number | undefined; isEmpty: boolean }[] = [];
  /** Preformatted text, or code in a line. */
  #code: string[] | undefined;
  #codeElement = "";
  /** The cells of the open row of a table. */
  #row: string[] | undefined;
  #isFirstRow = false;
  #tables = 0;

  open(name: string, { href, alt }: Record<string, string>): void {
    if (this.#code) {
      if (name === "br") this.#code.push("\n");
      return;
    }
    const emphasis = emphases[name];
    if (emphasis) this.#openInline(emphasis, emphasis);
    else if (name === "a") this.#openInline(href ? "[" : "", href ? `](${writeTarget(href)})` : "");
    else if (name === "code" || name === "pre") this.#openCode(name);
    else if (name === "br") this.#space = this.#row ? " " : "\n";
    else if (name === "img") this.write(alt?.trim() ? `(Image: ${alt})` : "");
    else if (!phrasing.has(name)) this.#openBlock(name);
  }

  close(name: string): void {
    if (this.#code) {
      if (name === this.#codeElement) this.#closeCode();
    } else if (emphases[name] || name === "a") this.#closeInline();
    else if (name !== "br" && name !== "img" && !phrasing.has(name)) this.#closeBlock(name);
  }

  write(text: string): void {
    if (this.#code) {
      this.#code.push(text);
      return;
    }
    const words = text.replaceAll(/\s+/g, " ");
    if (words.startsWith(" ")) this.#space ||= " ";
    if (words.trim() === "") return;
    this.#push(escapeText(words.trim(), this.#row !== undefined));
    if (words.endsWith(" ")) this.#space = " ";
  }

  finish(): string {
    if (this.#code) this.#closeCode();
    this.#endBlock();
    return this.#lines.join("\n");
  }

  #push(text: string): void {
    if (this.#block.length > 0 && this.#space) this.#block.push(this.#space === "\n" ? "  \n" : " ");
    this.#space = "";
    for (const inline of this.#inlines) {
      if (!inline.isWritten) this.#block.push(inline.mark);
      inline.isWritten = true;
    }
    this.#block.push(text);
  }

  #openInline(mark: string, end: string): void {
    if (this.#inlines.length < maxInlines) this.#inlines.push({ mark, end, isWritten: false });
    else this.#deeperInlines++;
  }

  #closeInline(): void {
    if (this.#deeperInlines > 0) {
      this.#deeperInlines--;
      return;
    }
    const inline = this.#inlines.pop();
    if (inline?.isWritten) this.#block.push(inline.end);
  }

  #openCode(name: string): void {
    if (name === "pre") this.#endBlock();
    this.#code = [];
    this.#codeElement = name;
  }

  #closeCode(): void {
    const code = this.#code?.join("") ?? "";
    this.#code = undefined;
    if (this.#codeElement === "pre" && !this.#row) {
      const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
      if (code.trim()) this.#writeLines([fence, ...code.replace(/^\n|\n$/g, "").split("\n"), fence]);
      return;
    }
    const line = code.replaceAll(/\s+/g, " ");
    const fence = "`".repeat(longestRun(line) + 1);
    const margin = /^`|`$/.test(line) ? " " : "";
    if (line.trim()) this.#push(fence + margin + line + margin + fence);
  }

  #openBlock(name: string): void {
    if (this.#row) this.#space ||= " ";
    else this.#endBlock();
    if (name === "table" && this.#tables++ === 0) this.#isFirstRow = true;
    else if (name === "tr" && this.#tables === 1) this.#row = [];
    if (this.#row) return;
    this.#prefix = headings[name] ?? "";
    if (name === "hr") this.#writeLines(["---"]);
    else if (name === "ul" || name === "ol") this.#openList(name === "ol" ? 1 : undefined);
    else if (name === "li") this.#openEntry();
    else if (name === "blockquote") this.#openContainer({ first: "> ", rest: "> " });
  }

  #closeBlock(name: string): void {
    if (name === "table") this.#tables--;
    if (this.#row) {
      if (name === "td" || name === "th") this.#closeCell();
      else if (name === "tr" && this.#tables === 1) this.#closeRow();
      else this.#space ||= " ";
      return;
    }
    this.#endBlock();
    this.#prefix = "";
    if (name === "ul" || name === "ol") this.#lists.pop();
    else if (name === "li" || name === "blockquote") this.#closeContainer();
  }

  #openList(next: number | undefined): void {
    // A list within an entry follows its text.
    if (this.#lists.length > 0) this.#needsBlankLine = false;
    this.#lists.push({ next, isEmpty: true });
  }

  #openEntry(): void {
    const list = this.#lists.at(-1);
    if (!list?.isEmpty) this.#needsBlankLine = false;
    const mark = list?.next === undefined ? "- " : `${list.next++}. `;
    if (list) list.isEmpty = false;
    this.#openContainer({ first: mark, rest: " ".repeat(mark.length) });
  }

  #openContainer(container: Container): void {
    if (this.#needsBlankLine) this.#writeBlankLine();
    if (this.#containers.length < maxContainers) this.#containers.push(container);
    else this.#deeperContainers++;
  }

  #closeContainer(): void {
    if (this.#deeperContainers > 0) this.#deeperContainers--;
    else this.#containers.pop();
  }

  #closeCell(): void {
    this.#row?.push(this.#takeBlock());
  }

  #closeRow(): void {
    const cells = this.#row ?? [];
    this.#row = undefined;
    const rest = this.#takeBlock();
    if (rest) cells.push(rest);
    if (cells.length === 0) return;
    const row = `| ${cells.join(" | ")} |`;
    if (!this.#isFirstRow) this.#needsBlankLine = false;
    this.#writeLines(this.#isFirstRow ? [row, `|${" --- |".repeat(cells.length)}`] : [row]);
    this.#isFirstRow = false;
  }

  /** The text of the open block; emphasis that continues is closed, and opened again in the next block. */
  #takeBlock(): string {
    for (const inline of this.#inlines.toReversed()) {
      if (inline.isWritten) this.#block.push(inline.end);
      inline.isWritten = false;
    }
    const text = this.#block.join("");
    this.#block = [];
    this.#space = "";
    return text;
  }

  #endBlock(): void {
    const text = this.#takeBlock();
    if (text)
      this.#writeLines((this.#prefix + text.replaceAll(/^(?:[#>+-]|\d{1,9}[.)])(?=\s|$)/gm, escapeMark)).split("\n"));
  }

  #writeLines(lines: readonly string[]): void {
    if (this.#needsBlankLine) this.#writeBlankLine();
    for (const line of lines) {
      const before = this.#containers.map((container) => {
        const { first } = container;
        container.first = container.rest;
        return first;
      });
      this.#lines.push(before.join("") + line);
    }
    this.#needsBlankLine = true;
  }

  #writeBlankLine(): void {
    this.#lines.push(
      this.#containers
        .map(({ rest }) => rest)
        .join("")
        .trimEnd(),
    );
    this.#needsBlankLine = false;
  }
}

/** Text that Markdown would read as marks. Markdown does not read an underscore within a word. */
const escapeText = (text: string, isInTable: boolean) => {
  const escaped = text.replaceAll(/[\\`*[\]<]|(?<!\w)_|_(?!\w)/g, "\\$&");
  return isInTable ? escaped.replaceAll("|", "\\|") : escaped;
};

/** The mark of a heading, a quote or a list at the beginning of a line. */
const escapeMark = (mark: string) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`;

const writeTarget = (href: string) =>
  /[\s()<>]/.test(href) ? `<${href.replaceAll(/[\s<>]/g, encodeURIComponent)}>` : href;

/** The length of the longest run of backticks. */
function longestRun(code: string): number {
  let longest = 0;
  for (let at = code.indexOf("`"); at !== -1; ) {
    let end = at + 1;
    while (code[end] === "`") end++;
    longest = Math.max(longest, end - at);
    at = code.indexOf("`", end);
  }
  return longest;
}
