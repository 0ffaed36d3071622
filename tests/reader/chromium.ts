import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** One tab of a headless Chromium, spoken to over the DevTools protocol. */
export class ChromiumTab {
  readonly #socket: WebSocket;
  readonly #end: () => Promise<void>;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #listeners = new Set<(message: Message) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket, end: () => Promise<void>) {
    this.#socket = socket;
    this.#end = end;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message;
      if (message.id === undefined) for (const listener of this.#listeners) listener(message);
      else this.#answers.get(message.id)?.(message);
    });
  }

  static async open(executable: string): Promise<ChromiumTab> {
    const profile = await mkdtemp(path.join(tmpdir(), "reader-chromium-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    // No name resolves: what a page asks for is seen, and goes nowhere.
    const options = [
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ];
    const browser = spawn(executable, [...flags, ...options], { stdio: ["ignore", "ignore", "pipe"] });
    const exited = new Promise<void>((resolve) => browser.on("exit", () => resolve()));
    const endpoint = await new Promise<string>((resolve, reject) => {
      let output = "";
      browser.stderr.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const address = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
      void exited.then(() => reject(new Error(`Chromium ended: ${output}`)));
    });
    const targets = (await (await fetch(`http://${new URL(endpoint).host}/json`)).json()) as Record<string, string>[];
    const socket = new WebSocket(targets.find(({ type }) => type === "page")?.webSocketDebuggerUrl ?? "");
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    return new ChromiumTab(socket, async () => {
      browser.kill();
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    });
  }

  /** Sends a command; gives its result. */
  async send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    const answer = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    this.#answers.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  /** Calls back for every event until the function that it gives is called. */
  listen(callBack: (method: string, params: Record<string, unknown>) => void): () => void {
    const listener = ({ method = "", params = {} }: Message) => callBack(method, params);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    return (result as { value?: unknown }).value;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#end();
  }
}
