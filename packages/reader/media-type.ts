import { MIMEType } from "node:util";

/** How a page is read: HTML and XML through extraction, plain text as it is. */
export type PageKind = "html" | "xml" | "plain";

interface MediaType {
  /** `type/subtype` in lower case; empty where the header is missing or malformed. */
  essence: string;
  charset: string | undefined;
}

/** Reads a `Content-Type` header. */
export function mediaTypeOf(header: string | undefined): MediaType {
  try {
    const type = new MIMEType(header ?? "");
    return { essence: type.essence, charset: type.params.get("charset") ?? undefined };
  } catch {
    return { essence: "", charset: undefined };
  }
}

/** How a page of this media type is read; undefined for one that is neither text nor HTML. */
export function pageKindOf(essence: string, body: Uint8Array): PageKind | undefined {
  if (essence === "") return sniffKind(body);
  if (essence === "text/html" || essence === "application/xhtml+xml") return "html";
  if (essence === "text/xml" || essence === "application/xml" || isXmlText(essence)) return "xml";
  return essence.startsWith("text/") ? "plain" : undefined;
}

/** Feeds and other XML applications; an SVG image is not text. */
function isXmlText(essence: string): boolean {
  return essence.startsWith("application/") && essence.endsWith("+xml");
}

const sniffedBytes = 1024;
const lessThan = 0x3c;
const space = 0x20;

/** For a server that names no type: a byte that no text holds decides against it, a leading `<` for HTML. */
function sniffKind(body: Uint8Array): PageKind | undefined {
  const head = body.subarray(0, sniffedBytes);
  if (head.includes(0)) return undefined;
  return head.find((byte) => byte > space) === lessThan ? "html" : "plain";
}
