import type { z } from "zod";
import { apiKey, password, username } from "./fields.ts";

/**
 * What the house needs to know of an endpoint. Validation, routes, gateway, documentation and tests derive from it.
 */
export interface EndpointContract<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  /** The section of the spec that it implements. */
  section: string;
  summary: string;
  /** `main` is {base_url}, `text` is {text_url}. */
  host: "main" | "text";
  /**
   * For whom a call is made: the application alone, a user whose password is checked, or a user who does not exist
   * yet.
   */
  caller: "application" | "user" | "new-user";
  /** Whether a call counts against the rate limits. */
  counted: boolean;
  /** What a success answers: the words `200 OK`, fields as JSON or XML, or a piece of HTML. */
  answer: { kind: "words" } | { kind: "fields"; fields: z.ZodObject } | { kind: "html" };
  input: Input;
}

/** Every endpoint answers both (spec section 4). */
export const methods = ["GET", "POST"] as const;

/** The version prefix is part of every path (spec section 9). */
export const pathOf = (endpoint: { name: string }) => `/v2/${endpoint.name}`;

/** Parameters of a call for an application alone. */
export const applicationFields = { apikey: apiKey };

/** Parameters of a call for a user. */
export const userFields = { apikey: apiKey, username, password };
