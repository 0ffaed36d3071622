import type { z } from "zod";

/** A faulty configuration; the message is one line for the operator. */
export class SetupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SetupError";
  }
}

/** Reads environment variables, an empty one being the same as none. Throws a SetupError that names a faulty one. */
export function readEnvironment<S extends z.ZodObject>(
  variables: S,
  env: Record<string, string | undefined>,
): z.output<S> {
  const result = variables.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== "")));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new SetupError(`${issue?.path.join(".")}: ${issue?.message}`);
}
