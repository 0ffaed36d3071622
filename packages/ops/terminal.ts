import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommandFailure, UsageFailure } from "./failures.ts";

/** Asks for a yes before something is lost. Throws where there is nobody to ask, or the answer is another one. */
export async function confirm(question: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return;
  if (!process.stdin.isTTY)
    throw new UsageFailure("there is no terminal to ask on; add --yes to go on without a question");
  const answer = await ask(`${question} Type yes to go on: `, process.stderr);
  if (answer.trim().toLowerCase() !== "yes") throw new CommandFailure("nothing was changed");
}

/** Reads a password: twice and unseen on a terminal, else a line of standard input. */
export async function readPassword(): Promise<string> {
  if (!process.stdin.isTTY) return await ask("", silent());
  const password = await askUnseen("New password: ");
  if ((await askUnseen("The same again: ")) !== password)
    throw new CommandFailure("the two differ; nothing was changed");
  return password;
}

async function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  try {
    return await ask("", silent());
  } finally {
    process.stderr.write("\n");
  }
}

/** Where readline may echo what is typed without anyone seeing it. */
const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() });

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
  try {
    const closed = new Promise<never>((_, reject) => {
      const stop = () => reject(new CommandFailure("nothing was changed"));
      lines.once("SIGINT", stop).once("close", stop);
    });
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
