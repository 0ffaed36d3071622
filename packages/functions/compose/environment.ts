import type { z } from "zod";

/** Why the service cannot run as it was set up, in one line for the person who did. */
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
