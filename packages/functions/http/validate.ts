import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import type { z } from "zod";

/** A step of the path to an invalid value. A key chosen by the client is shown only if it is plain. */
const stepName = (step: PropertyKey) => (/^[\w, -]{1,60}$/.test(String(step)) ? String(step) : "?");

/**
 * The input of an endpoint, from the parameters of a call; or a fault that names the first parameter
 * or entry that breaks a rule, never its value.
 */
export async function validate(
  endpoint: EndpointContract,
  parameters: Record<string, string>,
): Promise<{ input?: unknown; fault?: string }> {
  const result = await endpoint.input.safeParseAsync(parameters);
  if (result.success) return { input: result.data };
  return { fault: faultIn(result.error) };
}

/** The first fault: the parameter or entry that breaks a rule, and the rule. */
export function faultIn({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.map(stepName).join(".")} ${issue?.message}`;
}
