// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { atEndOfFile } from "./end-of-file.ts";
import { findFirefox } from "./find-browser.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A tab of Firefox. */
export interface FirefoxTab {
  /** The value of an expression in the page, or the value of its promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Clicks an element as a user does, which a permission requires. */
  click(selector: string): Promise<void>;
}

/** Firefox with an extension. It is driven by WebDriver BiDi: Playwright cannot install extensions in Firefox. */
export interface FirefoxWithExtension {
  /** Begins the URLs of the extension's pages. */
  origin: string;
  open(url: string): Promise<FirefoxTab>;
  /** Clicks on the extension's button while the tab of this URL is shown. */
  clickButton(url: string): Promise<void>;
}

const uuid = "3f1c9a52-7d0e-4b61-9c35-2a8f6e0d4b17";

/** Starts a headless Firefox with a new profile and an unpacked extension of this id; it ends after the file's tests. */
export async function launchFirefoxWithExtension(folder: string, id: string): Promise<FirefoxWithExtension> {
  const profile = temporaryFolder();
  const preferences = {
    "extensions.webextensions.uuids": JSON.stringify({ [id]: uuid }),
    // A headless browser has nobody to ask.
    "extensions.webextOptionalPermissionPrompts": false,
    "network.proxy.type": 0,
  };
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  await writeFile(path.join(profile, "user.js"), lines.join(""));
  const args = ["--headless", "--remote-debugging-port=0", "--remote-allow-system-access", "--profile", profile];
  const firefox = spawn(findFirefox() ?? "", args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise((resolve) => firefox.once("exit", resolve));
  atEndOfFile(async () => {
    firefox.kill();
    await exited;
  });
  const send = await connect(await addressIn(firefox.stderr));
  await send("session.new", { capabilities: {} });
  await send("webExtension.install", { extensionData: { type: "path", path: folder } });
  const evaluateIn = async <T>(context: string, expression: string) => {
    const { result, exceptionDetails } = await send<Evaluation>("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return (result.value === undefined ? undefined : JSON.parse(result.value)) as T;
  };
  return {
    origin: `moz-extension://${uuid}`,
    async clickButton(url) {
      const { contexts } = await send<{ contexts: { context: string }[] }>("browsingContext.getTree", {
        "moz:scope": "chrome",
      });
      await evaluateIn(
        contexts[0]?.context ?? "",
        `(async () => {
          gBrowser.selectedTab = gBrowser.tabs.find(({ linkedBrowser }) => linkedBrowser.currentURI.spec === ${JSON.stringify(url)});
          const { ExtensionParent } = ChromeUtils.importESModule("resource://gre/modules/ExtensionParent.sys.mjs");
          const { extension } = WebExtensionPolicy.getByID(${JSON.stringify(id)});
          await ExtensionParent.apiManager.global.browserActionFor(extension).triggerAction(window);
        })()`,
      );
    },
    async open(url) {
      const { context } = await send<{ context: string }>("browsingContext.create", { type: "tab" });
      await send("browsingContext.navigate", { context, url, wait: "complete" });
      const evaluate = <T>(expression: string) => evaluateIn<T>(context, expression);
      const click = async (selector: string) => {
        const { x, y, width, height } = await evaluate<Record<"x" | "y" | "width" | "height", number>>(
          `((element) => {
            element.scrollIntoView({ block: "center" });
            return element.getBoundingClientRect();
          })(document.querySelector(${JSON.stringify(selector)}))`,
        );
        const place = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
        const actions = [
          { type: "pointerMove", ...place },
          { type: "pointerDown", button: 0 },
          { type: "pointerUp", button: 0 },
        ];
        await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
      };
      return { evaluate, click };
    },
  };
}

interface Evaluation {
  result: { value?: string };
  exceptionDetails?: { text: string };
}

type Send = <T>(method: string, params: object) => Promise<T>;

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (!address) continue;
    output.resume();
    return `${address}/session`;
  }
  throw new Error("Firefox has ended before it listened");
}

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (answer: { result?: unknown; error?: string; message?: string }) => void>();
  let last = 0;
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(data);
    waiting.get(answer.id)?.(answer);
  };
  return <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      const id = ++last;
      waiting.set(id, ({ result, error, message }) => {
        if (error) reject(new Error(`${method}: ${error}: ${message}`));
        else resolve(result as T);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
}
