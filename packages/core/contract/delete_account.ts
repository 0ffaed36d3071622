import * as z from "zod";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { username } from "./fields.ts";

export const delete_account = {
  name: "delete_account",
  section: "4.12",
  summary: "Delete the account",
  description: "Deletes the user and everything of the user, at once and for good.",
  tag: "account",
  host: "main",
  caller: "user",
  account: "deletion",
  articles: "deleteAll",
  methods: ["POST"],
  counted: true,
  answer: { kind: "status" },
  input: z
    .object({ ...userFields, confirm: username })
    .refine(({ username: name, confirm }) => confirm === name, { path: ["confirm"], error: "must be the username" }),
  example: {
    parameters: { confirm: "ann" },
    mistake: { change: { confirm: "bob" }, error: "confirm must be the username" },
  },
} as const satisfies EndpointContract;
