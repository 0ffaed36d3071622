// SPDX-License-Identifier: MIT

import { execSync } from "node:child_process";
import { dirname } from "node:path";
import { answerCall, stateOf } from "./account.ts";

/** A resource as the mocks of Pulumi get it. One with an id exists already, and is only read. */
export interface Registration {
  type: string;
  name: string;
  inputs: Record<string, unknown>;
  id?: string;
}

/** Replaces Pulumi's engine and providers by mocks that create nothing; `note` is called for each new resource. */
export async function mockPulumi(
  // biome-ignore lint/suspicious/noExplicitAny: SST's platform has it, not this project.
  pulumi: any,
  note: (resource: Omit<Registration, "id">) => void = () => {},
): Promise<void> {
  await pulumi.runtime.setMocks({
    call: answerCall,
    newResource: ({ type, name, inputs: given, id }: Registration) => {
      const inputs = withoutMarks(given) as Registration["inputs"];
      if (id) return { id, state: stateOf(type, name, { name: id }) };
      // The program reads the files that the command writes.
      if (type === "command:local:Command") runCommand(inputs);
      note({ type, name, inputs });
      return { id: `${name}-id`, state: stateOf(type, name, inputs) };
    },
  });
}

/** The same inputs, in which secrets are marked no more: the mocks get a secret as an object of this signature. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const isMarked = (value as Record<string, unknown>)["4dabf18193072939515e22adb298388d"] !== undefined;
  if (isMarked) return withoutMarks((value as Record<string, unknown>).value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutMarks(each)]));
}

function runCommand({ create, dir, environment }: Registration["inputs"]): void {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`, ...(environment as object) };
  execSync(String(create), { cwd: String(dir), env, stdio: "ignore" });
}
