/** The HTML of an uploaded resource if it is that of the page: a line of JSON with its URL and headers comes first. */
export function htmlOf(data: Buffer, url: string): string | undefined {
  const end = data.indexOf("\n");
  try {
    const head = JSON.parse(data.toString("utf8", 0, end)) as { url?: string; headers?: Record<string, string> };
    const isHtml = /^text\/html\b/.test(head.headers?.["content-type"] ?? "text/html");
    return head.url === url && isHtml ? data.toString("utf8", end + 1) : undefined;
  } catch {
    return undefined;
  }
}
