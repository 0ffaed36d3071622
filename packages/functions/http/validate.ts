import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { ServiceError } from "@reading-list/core/errors.ts";

/** A step of the way to a faulty value; keys that a client made up are shown only where they are plain. */
const stepName = (step: PropertyKey) => (/^[\w, -]{1,60}$/.test(String(step)) ? String(step) : "?");

/**
 * The input of an endpoint, from the parameters of a call. Throws `invalid`, naming the first parameter or entry that
 * breaks a rule, never its value.
 */
export function validate(endpoint: EndpointContract, parameters: Record<string, string>): unknown {
  const result = endpoint.input.safeParse(parameters);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ServiceError("invalid", `${issue?.path.map(stepName).join(".")} ${issue?.message}`);
}
