import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { untilReady } from "../tests/local/started.ts";

/** What `npm start` runs, in processes of its own that can be watched. */
export interface SoakedService {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  measure(): Promise<Figures>;
  /** Ends it; gives what it complained of, its exit code included where that is not 0. */
  stop(): Promise<string>;
}

/** Memory in MB and open handles. */
export interface Figures {
  /** What lives in the service's heap once its garbage is collected. */
  heap: number;
  serviceMemory: number;
  databaseMemory: number;
  serviceHandles: number;
  databaseHandles: number;
}

const apiKey = "soak";
const noLimit = "1000000000";

/** Starts the service on an embedded database in a passing folder; `text` may fetch pages of `pageOrigin`. */
export async function startSoakedService(pageOrigin: string): Promise<SoakedService> {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-soak-"));
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "packages/local/main.ts"], {
    env: {
      PATH: process.env.PATH,
      ...{ PORT: "0", TEXT_PORT: "0", DATA_DIR: folder, LOCAL_API_KEY: apiKey },
      ...{ USER_LIMIT: noLimit, KEY_LIMIT: noLimit, TEXT_ALLOWED_ORIGINS: pageOrigin },
    },
    // A Ctrl-C is for the soak alone, which has some last calls to make.
    detached: true,
  });
  process.once("exit", () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const urls = await untilReady({ process: child, output: () => output, ended });
  const inspectorUrl = /ws:\S+/.exec(output)?.[0] ?? "";
  const servicePid = child.pid ?? 0;
  const databasePid = findDatabase(servicePid);
  output = "";
  let isStopping = false;
  ended.then((code) => {
    if (isStopping) return;
    console.error(`the service ended with ${code}:\n${output}`);
    process.exit(1);
  });
  return {
    ...urls,
    apiKey,
    measure: async () => ({
      // First, so that the memory of the process is without its garbage, too.
      heap: await measureLiveHeap(inspectorUrl),
      serviceMemory: memoryOf(servicePid),
      databaseMemory: memoryOf(databasePid),
      serviceHandles: handlesOf(servicePid),
      databaseHandles: handlesOf(databasePid),
    }),
    stop: async () => {
      isStopping = true;
      // What the inspector says of those who ask it is no complaint.
      const complaints = output.split("\n").filter((line) => line !== "" && !/^(Debugger|For help)/.test(line));
      child.kill("SIGTERM");
      const code = await ended;
      return [...complaints, ...(code === 0 ? [] : [`the service ended with ${code}`])].join("\n");
    },
  };
}

const megabytes = (bytes: number) => bytes / 1024 / 1024;

/** MB of a process that are in memory. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return megabytes(1024 * Number(kilobytes));
}

const handlesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

/** The database's process, which the service has started through a shell. */
function findDatabase(servicePid: number): number {
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  const isDatabase = (pid: number) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "cat";
  const found = childrenOf(servicePid).flatMap(childrenOf).find(isDatabase);
  if (found === undefined) throw new Error("the database's process is not where it should be");
  return found;
}

/** MB that live in the heap of a Node process, with the buffers that it holds. */
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
