import { MIMEType } from "node:util";

/** `html` and `xml` go through extraction, `plain` is shown as it is. */
export type PageKind = "html" | "xml" | "plain";

interface MediaType {
  /** `type/subtype` in lower case; empty if the header is missing or malformed. */
  essence: string;
  charset: string | undefined;
}

/** Parses a `Content-Type` header. */
export function mediaTypeOf(header: string | undefined): MediaType {
  try {
    const type = new MIMEType(header ?? "");
    return { essence: type.essence, charset: type.params.get("charset") ?? undefined };
  } catch {
    return { essence: "", charset: undefined };
  }
}

/** The kind of a page by its media type; undefined if it is neither text nor HTML. */
export function pageKindOf(essence: string, body: Uint8Array): PageKind | undefined {
  if (essence === "") return sniffKind(body);
  if (essence === "text/html" || essence === "application/xhtml+xml") return "html";
  if (essence === "text/xml" || essence === "application/xml" || isXmlText(essence)) return "xml";
  return essence.startsWith("text/") ? "plain" : undefined;
}

/** Feeds and other XML applications. `image/svg+xml` is not text. */
function isXmlText(essence: string): boolean {
  return essence.startsWith("application/") && essence.endsWith("+xml");
}

const sniffedBytes = 1024;
const lessThan = 0x3c;
const space = 0x20;

/** For a missing media type: a NUL byte means binary data, a leading `<` means HTML. */
function sniffKind(body: Uint8Array): PageKind | undefined {
  const head = body.subarray(0, sniffedBytes);
  if (head.includes(0)) return undefined;
  return head.find((byte) => byte > space) === lessThan ? "html" : "plain";
}
