import { parse as parseCsv } from "csv-parse/sync";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import * as z from "zod";

/** A bookmark that an import of another tool makes. */
export interface Bookmark {
  url: string | undefined;
  title: string;
  tags: string[];
  /** Unix seconds. */
  added: number;
  isRead: boolean | undefined;
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const childrenOf = (node: object) => ("childNodes" in node ? (node.childNodes as Node[]) : []);
const elementsOf = (node: object, name?: string) =>
  childrenOf(node).filter(
    (each): each is Element => "tagName" in each && (name === undefined || each.tagName === name),
  );
const textOf = (node: object): string =>
  childrenOf(node)
    .map((each) => ("value" in each ? each.value : textOf(each)))
    .join("");
const attribute = ({ attrs }: Element, name: string) => attrs.find((each) => each.name === name)?.value;

function firstElement(node: object, name: string): Element | undefined {
  for (const each of elementsOf(node)) {
    const found = each.tagName === name ? each : firstElement(each, name);
    if (found) return found;
  }
  return undefined;
}

/**
 * Karakeep's rules for bookmarks in HTML (packages/shared/import-export/parsers.ts): the document begins with the type,
 * and the children of the first DL that have an A are links; commas separate tags; there is no state.
 */
export function asKarakeepReadsHtml(html: string): Bookmark[] {
  if (!html.startsWith("<!DOCTYPE NETSCAPE-Bookmark-file-1>")) throw new Error("not a bookmark file");
  return elementsOf(firstElement(parse(html), "dl") ?? {}).flatMap((child) => {
    const [link] = elementsOf(child, "a");
    if (!link) return [];
    const tags = attribute(link, "tags") ?? "";
    return {
      url: attribute(link, "href"),
      title: textOf(link),
      tags: tags === "" ? [] : tags.split(","),
      added: Number.parseInt(attribute(link, "add_date") ?? "", 10),
      isRead: undefined,
    };
  });
}

/** Karakeep's rules for the CSV of Pocket: strict CSV with a header, a bar separates tags. */
export const asKarakeepReadsPocket = (csv: string): Bookmark[] =>
  parseCsv<Record<string, string>>(csv, { columns: true, skip_empty_lines: true }).map(
    ({ url, title = "", tags = "", time_added = "", status }) => ({
      ...{ url, title, tags: tags === "" ? [] : tags.split("|"), added: Number.parseInt(time_added, 10) },
      isRead: status === "archive",
    }),
  );

const karakeepExport = z.object({
  bookmarks: z.array(
    z.object({
      createdAt: z.number(),
      title: z.string().nullable(),
      tags: z.array(z.string()),
      content: z.object({ type: z.literal("link"), url: z.string() }),
      note: z.string().nullable(),
      archived: z.boolean(),
    }),
  ),
});

/** Karakeep's rules for its own JSON. */
export const asKarakeepReadsJson = (json: string): Bookmark[] =>
  karakeepExport.parse(JSON.parse(json)).bookmarks.map(({ createdAt, title, tags, content, archived }) => ({
    ...{ url: content.url, title: title ?? "", tags, added: createdAt, isRead: archived },
  }));

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#13": "\r" };
const decode = (text: string) => text.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);

/**
 * linkding's rules (bookmarks/services/parser.py): tokens, no tree; a DT or the end of the list ends a bookmark; the
 * title is trimmed; `TOREAD="1"` is unread, a tag of its own means archived.
 */
export const asLinkdingReadsHtml = (html: string): Bookmark[] =>
  [...html.matchAll(/<DT><A ([^>]*)>([^<]*)<\/A>/g)].map(([, list = "", title = ""]) => {
    const found = [...list.matchAll(/([A-Z_]+)="([^"]*)"/g)];
    const attributes: Record<string, string> = Object.fromEntries(
      found.map(([, name, value = ""]) => [name, decode(value)]),
    );
    return {
      url: attributes.HREF,
      title: decode(title).trim(),
      tags: (attributes.TAGS ?? "").split(",").filter((tag) => tag !== ""),
      added: Number(attributes.ADD_DATE),
      isRead: attributes.TOREAD !== "1",
    };
  });
