import { onTestFinished } from "vitest";
import { startProxy } from "./proxy.ts";

/**
 * Starts a proxy in front of a database for the calling test; returns its URL. `before` is awaited before each command,
 * with its operation, such as `Query`; if it returns false, the connection is closed without an answer.
 */
export async function startDatabaseProxy(
  endpoint: string,
  before: (operation: string) => Promise<unknown>,
): Promise<string> {
  const { url, stop } = await startProxy(async (request, body) => {
    const headers = request.headers as Record<string, string>;
    if ((await before(headers["x-amz-target"]?.split(".")[1] ?? "")) === false) return undefined;
    const answer = await fetch(endpoint, { method: "POST", headers: { ...headers, connection: "close" }, body });
    return { status: answer.status, body: await answer.text() };
  });
  onTestFinished(stop);
  return url;
}
