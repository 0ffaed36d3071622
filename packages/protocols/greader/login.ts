// SPDX-License-Identifier: MIT

import { createHmac } from "node:crypto";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import * as z from "@reading-list/core/contract/bounded.ts";
import { noOperation, type UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineRoute } from "@reading-list/http/api.ts";
import type { GreaderPorts } from "../ports.ts";
import { answerJson, answerText } from "./answers.ts";
import { output } from "./fields.ts";

/** Characters of a name or a password: longer ones are of nobody. */
const secretLength = 1000;
const inBody = z.object({ Email: z.string(secretLength, "is missing"), Passwd: z.string(secretLength, "is missing") });

const loginInput = inBody
  .extend({
    // Query strings end up in logs and histories.
    query: inBody.partial().refine(({ Email, Passwd }) => Email === undefined && Passwd === undefined, {
      message: "must not contain Email or Passwd; send them in the body",
    }),
  })
  // Usernames of this service have no capitals, which phones begin words with.
  .transform(({ Email: name, Passwd: password }) => ({ username: name.trim().toLowerCase(), password }));

const login = defineRoute({
  route: "POST /accounts/ClientLogin",
  scope: "read",
  caller: "user",
  input: loginInput,
  useCase: noOperation,
  adds: false,
  signIn: ({ username, password }) => ({ username, password, needsAppPassword: true }),
  present: (_, { username, password }) => {
    const secret = `${username}.${password}`;
    return answerText(`SID=${secret}\nLSID=${secret}\nAuth=${secret}\n`);
  },
});

/** Google's tokens have 57 characters. */
const findToken = (secret: string) => createHmac("sha256", secret).update("greader token").digest("hex").slice(0, 57);

/** Whether `T` of a call may be sent with a secret: the derived token, or none. */
export const isTokenOf = (secret: string, token: unknown): boolean =>
  [token ?? ""].flat().every((each) => each === "" || each === "x" || each === findToken(secret));

const token = defineRoute({
  route: "GET /reader/api/0/token",
  caller: "user",
  input: z.object({ authorization: z.ofRequest<string>() }),
  useCase: noOperation,
  present: (_, { authorization }) => {
    const [, bearer = ""] = authorization.split("=");
    return answerText(findToken(parseBearerSecret(bearer)?.password ?? ""));
  },
});

const readUser: UseCase<unknown, { username: string; createdAt: number }, GreaderPorts> = {
  begin:
    () =>
    async ({ user }) =>
      user,
};

const userInfo = defineRoute({
  route: "GET /reader/api/0/user-info",
  caller: "user",
  input: z.object({ output }),
  useCase: readUser,
  present: ({ username, createdAt }) =>
    answerJson({
      userId: username,
      userName: username,
      userProfileId: username,
      userEmail: "",
      isBloggerUser: false,
      signupTimeSec: createdAt,
      isMultiLoginEnabled: false,
    }),
});

/** The routes of the sign-in and its user. */
export const loginRoutes = [login, token, userInfo];
