import { type Token, Tokenizer } from "parse5";
import type { Row } from "./entry.ts";
import { rowOf } from "./row.ts";

/** Characters of a link's text that are kept, more than a title holds. */
const longestText = 10_000;

/**
 * Reads bookmarks as HTML: the Netscape format of browsers, and `ril_export.html` of Pocket. Only tokens are read, no
 * tree is built, so memory does not grow with the file.
 *
 * - Folders (`H3`, then `DL`) become tags, but for the roots that browsers mark, such as the bookmarks bar.
 * - `TOREAD="0"` means read, and so does Pocket's heading `Read Archive`.
 */
export async function* readBookmarks(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let rows: Row[] = [];
  /** Open folders; undefined for one that is no tag. */
  const folders: (string | undefined)[] = [];
  let nextFolder: string | undefined;
  let section = "";
  let text = "";
  let element: { name: "a" | "h1" | "h3"; attributes: Map<string, string>; line: number } | undefined;

  const end = () => {
    if (!element) return;
    const { name, attributes, line } = element;
    const words = text.replaceAll(/\s+/g, " ").trim();
    element = undefined;
    if (name === "h1") section = words;
    else if (name === "h3") nextFolder = rootFolders.some((root) => attributes.has(root)) ? undefined : words;
    else {
      const isRead = attributes.get("toread") === "0" || section === "Read Archive";
      const tags = [...folders, ...(attributes.get("tags") ?? "").split(",")];
      const timeAdded = attributes.get("add_date") ?? attributes.get("time_added");
      rows.push(rowOf({ url: attributes.get("href"), title: words, tags, isRead, timeAdded }, line));
    }
  };
  const addText = ({ chars }: Token.CharacterToken) => {
    if (element && text.length < longestText) text += chars;
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: ({ tagName, attrs, location }) => {
        if (tagName === "dl") {
          end();
          folders.push(nextFolder);
          nextFolder = undefined;
        } else if (tagName === "a" || tagName === "h1" || tagName === "h3") {
          end();
          const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
          element = { name: tagName, attributes, line: location?.startLine ?? 0 };
          text = "";
        }
      },
      onEndTag: ({ tagName }) => {
        if (tagName === element?.name) end();
        if (tagName === "dl") folders.pop();
      },
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onParseError: ({ code, startLine }) => {
        if (code !== "eof-in-tag") return;
        element = undefined;
        rows.push({ problem: "the file ends within this line", line: startLine });
      },
    },
  );
  for await (const chunk of chunks) {
    tokenizer.write(chunk, false);
    yield* rows;
    rows = [];
  }
  tokenizer.write("", true);
  yield* rows;
  if (element?.name === "a") yield { problem: "the file ends within this link", line: element.line };
}

/** Attributes of the folders that every browser has. */
const rootFolders = ["personal_toolbar_folder", "unfiled_bookmarks_folder"];
