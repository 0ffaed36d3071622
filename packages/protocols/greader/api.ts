// SPDX-License-Identifier: MIT

import { findApi } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { answerFailure } from "@reading-list/http/answer.ts";
import type { Api } from "@reading-list/http/api.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import type { GreaderPorts } from "../ports.ts";
import { changeRoutes } from "./changes.ts";
import { contentRoutes } from "./contents.ts";
import { isTokenOf, loginRoutes } from "./login.ts";
import { streamListRoutes } from "./stream-lists.ts";

/** The scheme of Google's ClientLogin; apps write it in any case. */
const scheme = /^GoogleLogin +auth=(\S+)$/i;

/** Google Reader's API (docs/apps.md) over the reading list, for feed readers on phones. */
export const greader: Api<GreaderPorts> = {
  contract: findApi("greader"),
  routes: [...loginRoutes, ...streamListRoutes, ...contentRoutes, ...changeRoutes],
  answerError: (error) => {
    const status = apiStatusOf[error.kind];
    const { headers, body } = answerFailure(status, error.message, error.code);
    const badToken = {
      "Google-Bad-Token": "true",
      "X-Reader-Google-Bad-Token": "true",
      "WWW-Authenticate": "GoogleLogin",
    };
    return {
      status,
      headers: { ...headers, ...createFailureHeaders(error, status), ...(status === 401 && badToken) },
      body,
    };
  },
  tooLarge: "the answer is too large for one response; ask for fewer items with n, or send fewer i",
  signIn: ({ authorization }, { T: token }) => {
    if (authorization === undefined) return undefined;
    const credentials = parseBearerSecret(scheme.exec(authorization)?.[1] ?? "");
    if (!credentials)
      throw new ServiceError(
        "unauthorized",
        "the Authorization header must be `GoogleLogin auth=` and the Auth value from ClientLogin",
      );
    if (!isTokenOf(credentials.password, token))
      throw new ServiceError("unauthorized", "T is not the token of this sign-in; get it from reader/api/0/token");
    return credentials;
  },
};
