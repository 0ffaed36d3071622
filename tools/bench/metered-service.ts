// SPDX-License-Identifier: MIT

import type { HostileCall } from "@reading-list/testing/hostile-calls.ts";
import { startChild } from "./child.ts";
import { createClient, noLimit, writeVariables } from "./measured-service.ts";

/** Milliseconds after which a call is given up. */
const patienceMs = 60_000;

/** A service that limits no calls, and whose turns of the event loop can be measured. */
export async function startMeteredService(folder: string) {
  const service = await startChild(
    import.meta.resolve("@reading-list/local/main.ts"),
    { ...writeVariables(folder), PUBLIC_KEY_ADDRESS_LIMIT: noLimit, LOG_LEVEL: "SILENT" },
    { isMetered: true },
  );
  return { ...service, client: createClient(service.urls) };
}

/** Sends a call; returns the status and the bytes of its answer as they were sent. */
export async function send(
  url: string,
  { method, headers, body }: HostileCall,
): Promise<{ status: number | "lost"; bytes: number }> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMs),
      ...(body !== undefined && { body }),
    });
    const { byteLength } = await response.arrayBuffer();
    return { status: response.status, bytes: Number(response.headers.get("content-length") ?? byteLength) };
  } catch {
    return { status: "lost", bytes: 0 };
  }
}
