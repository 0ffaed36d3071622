// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { opens } from "@reading-list/core/domain/sign-in.ts";
import {
  createAppPassword,
  makeRoom,
  nameSignIn,
  type SignInPorts,
} from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";
import type { UseCase } from "@reading-list/core/use-cases/use-case.ts";
import { defineFixedRoute, defineRoute } from "@reading-list/http/api.ts";
import { writeTime } from "../shown-page.ts";
import { answerJson } from "./answers.ts";

/** The version whose API this is. Clients compare it with the features that they need. */
const version = "0.22.2";

const info = defineFixedRoute("GET /api/info", () =>
  answerJson({ version: { canonical: version, release: version, build: "" }, features: ["oauth"] }),
);

/** The user of a call, and the permissions of its token. */
const showUser: UseCase<unknown, { username: string; createdAt: number; permissions: string[] }> = {
  begin:
    () =>
    async ({ user: { username, createdAt }, scope }) => ({
      username,
      createdAt,
      permissions: [
        ...(opens(scope, "read") ? ["api:bookmarks:read"] : []),
        ...(opens(scope, "full") ? ["api:bookmarks:write"] : []),
        "api:profile:read",
      ],
    }),
};

const profile = defineRoute({
  route: "GET /api/profile",
  scope: "profile",
  caller: "user",
  input: z.object({}),
  useCase: showUser,
  present: ({ username, createdAt, permissions }) =>
    answerJson({
      provider: {
        name: "bearer token",
        application: "",
        id: username,
        roles: ["user"],
        permissions,
      },
      user: {
        username,
        email: "",
        created: writeTime(createdAt),
        updated: writeTime(createdAt),
        settings: {
          debug_info: false,
          lang: "en-US",
          addon_reminder: false,
          reader_settings: { width: 3, font: "serif", font_size: 3, line_height: 3, justify: 0, hyphenation: 0 },
        },
      },
    }),
});

const authInput = z.object({
  application: z.string(1000, "is missing").default("Readeck"),
  // Usernames of this service have no capitals, which phones begin words with.
  username: z.string(1000, "is missing").transform((name) => name.toLowerCase()),
  password: z.string(1000, "is missing"),
});

/** The id and the secret of a new app password, or the app password that the call was made with. */
const signIn: UseCase<z.output<typeof authInput>, { id: string; secret: string }, SignInPorts> = {
  begin:
    (deps, { application, password }) =>
    async (caller) => {
      if (caller.signInId !== undefined) return { id: caller.user.username, secret: password };
      const name = nameSignIn("Readeck", application);
      await makeRoom(deps, caller, name);
      const created = await createAppPassword(deps, caller, name);
      return { id: created.signIn.id, secret: created.password };
    },
};

const auth = defineRoute({
  route: "POST /api/auth",
  scope: "read",
  caller: "user",
  input: authInput,
  useCase: signIn,
  signIn: ({ username, password }) => ({ username, password }),
  present: ({ id, secret }, { username }) => answerJson({ id, token: `${username}.${secret}` }, 201),
});

/** The routes about the service and its user. */
export const serviceRoutes = [info, auth, profile];
