import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { findDynamodbLocal } from "@reading-list/local/database-program.ts";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

let dataDir: string;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-"));
  dataDir = path.join(folder, "data");
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const startHere = () => startInProcess({ DATA_DIR: dataDir });

/** The permissions of the data folder and of everything in it, by name. */
function modes(): Record<string, string> {
  const names = [".", ...readdirSync(dataDir, { recursive: true }).map(String)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(path.join(dataDir, name)).mode & 0o777).toString(8)] as const),
  );
}

const arePrivate = (found: Record<string, string>) =>
  Object.entries(found).every(([name, mode]) => mode === ([".", "texts"].includes(name) ? "700" : "600"));

describe("the data folder", () => {
  test("is readable only by its owner, while the service runs and afterwards", async () => {
    const { stop } = await startHere();
    expect(modes()).toSatisfy(arePrivate);
    await stop();
    expect(modes()).toSatisfy(arePrivate);
  });

  test("is made private at the start if an older version made it readable by everyone", async () => {
    await (await startHere()).stop();
    for (const name of Object.keys(modes())) chmodSync(path.join(dataDir, name), name === "." ? 0o755 : 0o644);
    chmodSync(path.join(dataDir, "texts"), 0o755);
    await startHere();
    expect(modes()).toSatisfy(arePrivate);
  });
});

describe("a web page in a browser on the same machine", () => {
  test.runIf(process.platform === "linux")("cannot find the database by scanning 127.0.0.1", async () => {
    const database = await startEmbeddedDatabase(":memory:");
    onTestFinished(database.stop);
    const { hostname, port } = new URL(database.endpoint);
    expect(hostname).toMatch(/^127\./);
    const isOpen = await new Promise((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      onTestFinished(() => void socket.destroy());
    });
    expect([hostname === "127.0.0.1", isOpen]).toEqual([false, false]);
  });

  const dynamodbLocal = findDynamodbLocal();
  test.runIf(dynamodbLocal)("may not read DynamoDB Local, whose start prints a notice", async () => {
    const notices = vi.spyOn(console, "error").mockImplementation(() => {});
    const database = await startEmbeddedDatabase(":memory:", dynamodbLocal);
    onTestFinished(database.stop);
    expect(notices.mock.calls).toEqual([["starting DynamoDB Local"]]);
    expect(dynamodbLocal?.startTimeout).toBe(60_000);
    notices.mockRestore();
    const asked = await fetch(database.endpoint, {
      method: "OPTIONS",
      headers: { origin: "https://page.example", "access-control-request-method": "POST" },
    });
    expect(asked.headers.get("access-control-allow-origin")).toBeNull();
  });
});
