import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/** A service stays; a command of the operator's is gone in a moment, so that others wait for it. */
export type ClaimHolder = "service" | "command";

/** What the process that has the database of a folder open writes there, so that no second one opens it. */
interface Claim {
  pid: number;
  endpoint: string;
  holder: ClaimHolder;
  /** Milliseconds since 1970; from some time after it on, a database that does not answer is not there. */
  since: number;
}

/**
 * Milliseconds in which a database that was claimed must begin to answer, one whose process died must end, and a
 * command must let go of it.
 */
const patience = { toStart: 20_000, toEnd: 3_000, toLetGo: 30_000 };
const claimFile = (folder: string) => path.join(folder, "database.json");

/** The endpoint of the service that has the folder's database open; undefined where none has. */
export async function findRunningDatabase(folder: string): Promise<string | undefined> {
  const claim = readClaim(folder);
  return claim?.holder === "service" && (await isHeld(claim)) ? claim.endpoint : undefined;
}

/**
 * Takes the database of a folder for this process, waiting for a command that has it; gives the way to let go of it.
 * Throws a SetupError where a service has it, or a command for too long.
 */
export async function claimDatabase(
  folder: string,
  { endpoint, holder }: Pick<Claim, "endpoint" | "holder">,
): Promise<() => void> {
  const own = JSON.stringify({ pid: process.pid, endpoint, holder, since: Date.now() } satisfies Claim);
  const draft = `${claimFile(folder)}.${process.pid}`;
  const isOwn = () => readText(folder) === own;
  const release = () => {
    if (isOwn()) rmSync(claimFile(folder), { force: true });
  };
  const end = performance.now() + patience.toLetGo;
  writeFileSync(draft, own);
  try {
    for (;;) {
      // A link fails where there is a file, and shows no half of one.
      if (link(draft, claimFile(folder))) return release;
      const other = readClaim(folder);
      if (other && (await isHeld(other))) {
        if (other.holder === "service" || performance.now() > end) {
          throw new SetupError(`DATA_DIR ${folder} is in use by process ${other.pid}; stop it or name another folder`);
        }
        await pause(100);
        continue;
      }
      if (other) await untilSilent(other.endpoint);
      // Another process may find the same dead claim in this moment: the last one to put its own there has it.
      writeFileSync(draft, own);
      renameSync(draft, claimFile(folder));
      await pause(100);
      if (isOwn()) return release;
      writeFileSync(draft, own);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readText(folder: string): string | undefined {
  try {
    return readFileSync(claimFile(folder), "utf8");
  } catch {
    return undefined;
  }
}

function readClaim(folder: string): Claim | undefined {
  try {
    return JSON.parse(readText(folder) ?? "") as Claim;
  } catch {
    return undefined;
  }
}

/** Whether the process of a claim lives and its database answers, now or soon; a process id may be another's by now. */
async function isHeld({ pid, endpoint, since }: Claim): Promise<boolean> {
  while (pid !== process.pid && isAlive(pid)) {
    if (await answers(endpoint)) return true;
    if (Date.now() - since > patience.toStart) return false;
    await pause(100);
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Any answer will do: this asks who is there, not how it is. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  }
}

/** A database ends a moment after the process that it belonged to. */
async function untilSilent(endpoint: string): Promise<void> {
  const end = performance.now() + patience.toEnd;
  while (performance.now() < end && (await answers(endpoint))) await pause(50);
}
