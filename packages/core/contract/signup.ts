import * as z from "zod";
import { type EndpointContract, userFields } from "./endpoint.ts";

export const signup = {
  name: "signup",
  section: "4.6",
  summary: "Register a user; 401 where the username is taken.",
  host: "main",
  caller: "new-user",
  counted: true,
  answer: { kind: "words" },
  input: z.object(userFields),
} as const satisfies EndpointContract;
