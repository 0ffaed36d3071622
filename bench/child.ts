import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server in a process of its own, so that the load put on it does not take its time. */
export interface ChildServer {
  /** The first URL that it printed. */
  url: string;
  stop(): Promise<void>;
}

/** Runs a module that prints a URL when it is ready. Throws an error where it ends before that. */
export async function startChild(module: string, env: Record<string, string> = {}): Promise<ChildServer> {
  const child = spawn(process.execPath, [fileURLToPath(module)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let output = "";
  const url = new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [first] = /http:\S+(?=\s)/.exec(output) ?? [];
      if (first) resolve(first);
    });
  });
  // What a service prints when it runs is the log of a failure.
  url.then(() => child.stdout.on("data", (text: string) => process.stderr.write(text)));
  const failure = ended.then(() => {
    throw new Error(`${module} ended before it was ready: ${output}`);
  });
  return {
    url: await Promise.race([url, failure]),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
