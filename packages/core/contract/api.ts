import * as z from "zod";
import { applicationFields, type EndpointContract } from "./endpoint.ts";

export const api = {
  name: "api",
  section: "4.8",
  summary: "Rate-limit status of the key, in headers; does not count.",
  host: "main",
  caller: "application",
  counted: false,
  answer: { kind: "words" },
  input: z.object(applicationFields),
} as const satisfies EndpointContract;
