// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { start, untilReady } from "@reading-list/testing/started-service.ts";

/** The processes that `npm start` runs, with their figures. */
export interface SoakedService {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  measure(): Promise<Figures>;
  /** Stops it; returns its error output and its exit code if that is not 0. */
  stop(): Promise<string>;
}

/** Memory in MB and open handles. */
export interface Figures {
  /** Live objects in the service's heap, after garbage collection. */
  heap: number;
  serviceMemory: number;
  serviceHandles: number;
}

const apiKey = "soak";
const noLimit = "1000000000";

/** Starts the service on an embedded database in a temporary folder; `text` may fetch pages of `pageOrigin`. */
export async function startSoakedService(pageOrigin: string): Promise<SoakedService> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-soak-"));
  // In a new process group: Ctrl-C must reach only the soak, which still makes some calls.
  const started = start(
    {
      DATA_DIR: folder,
      LOCAL_API_KEY: apiKey,
      TEXT_ALLOWED_ORIGINS: pageOrigin,
      USER_LIMIT: noLimit,
      KEY_LIMIT: noLimit,
      PUBLIC_KEY_ADDRESS_LIMIT: noLimit,
    },
    [process.execPath, "--inspect=127.0.0.1:0", "packages/local/main.ts"],
  );
  const { process: child, output, ended } = started;
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const urls = await untilReady(started);
  const inspectorUrl = /ws:\S+/.exec(output())?.[0] ?? "";
  const servicePid = child.pid ?? 0;
  const readyLength = output().length;
  let isStopping = false;
  ended.then((code) => {
    if (isStopping) return;
    console.error(`the service ended with ${code}:\n${output().slice(readyLength)}`);
    process.exit(1);
  });
  return {
    ...urls,
    apiKey,
    measure: async () => ({
      // First, so that the process's memory contains no garbage either.
      heap: await measureLiveHeap(inspectorUrl),
      serviceMemory: memoryOf(servicePid),
      serviceHandles: handlesOf(servicePid),
    }),
    stop: async () => {
      isStopping = true;
      // Messages of the inspector are not errors.
      const complaints = output()
        .slice(readyLength)
        .split("\n")
        .filter((line) => line !== "" && !/^(Debugger|For help)/.test(line));
      child.kill("SIGTERM");
      const code = await ended;
      return [...complaints, ...(code === 0 ? [] : [`the service ended with ${code}`])].join("\n");
    },
  };
}

const megabytes = (bytes: number) => bytes / 1024 / 1024;

/** Resident memory of a process in MB. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return megabytes(1024 * Number(kilobytes));
}

const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** MB of live objects in the heap of a Node process, including its buffers. */
async function measureLiveHeap(inspectorUrl: string): Promise<number> {
  const inspector = new WebSocket(inspectorUrl);
  await once(inspector, "open");
  const ask = async (method: string) => {
    inspector.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = (await once(inspector, "message")) as [MessageEvent];
    return JSON.parse(data).result;
  };
  await ask("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize } = await ask("Runtime.getHeapUsage");
  inspector.close();
  await once(inspector, "close");
  return megabytes(usedSize + backingStorageSize);
}
