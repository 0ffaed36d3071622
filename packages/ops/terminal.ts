// SPDX-License-Identifier: MIT

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommandError, UsageError } from "./failures.ts";

/** The surroundings of a command: of this process, or of a test. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean; columns?: number };
  exitCode?: number | string | null | undefined;
}

/** Asks for a yes before data is lost. Throws if there is no terminal, or the answer is not yes. */
export async function confirm(terminal: Terminal, question: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return;
  if (!terminal.stdin.isTTY)
    throw new UsageError("there is no terminal to ask for confirmation; add --yes to continue without asking");
  const answer = await ask(terminal, `${question} Type yes to continue: `, terminal.stderr);
  if (answer.trim().toLowerCase() !== "yes") throw new CommandError("nothing was changed");
}

/** Reads a password: on a terminal without echo, else one line of standard input. */
export function askSecret(terminal: Terminal, prompt: string): Promise<string> {
  return terminal.stdin.isTTY ? askWithoutEcho(terminal, `${prompt}: `) : readLine(terminal);
}

/** Reads a new password or key: on a terminal twice without echo, else one line of standard input. */
export async function readSecret(terminal: Terminal, prompt: string): Promise<string> {
  const secret = await askSecret(terminal, prompt);
  if (!terminal.stdin.isTTY) return secret;
  if ((await askWithoutEcho(terminal, "Type it again: ")) !== secret)
    throw new CommandError("the two passwords differ; nothing was changed");
  return secret;
}

/** The first line of standard input, which may lack its line break. */
async function readLine({ stdin }: Terminal): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  throw new CommandError("standard input is empty; nothing was changed");
}

async function askWithoutEcho(terminal: Terminal, question: string): Promise<string> {
  terminal.stderr.write(question);
  try {
    return await ask(terminal, "", silent());
  } finally {
    terminal.stderr.write("\n");
  }
}

/** Readline echoes the input to its output. */
const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() });

async function ask({ stdin }: Terminal, question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY === true });
  try {
    const closed = new Promise<never>((_, reject) => {
      const stop = () => reject(new CommandError("nothing was changed"));
      lines.once("SIGINT", stop).once("close", stop);
    });
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
