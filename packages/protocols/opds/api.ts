// SPDX-License-Identifier: MIT

import { findApi } from "@reading-list/core/contract/apis.ts";
import { isSecret } from "@reading-list/core/domain/sign-in.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Api } from "@reading-list/http/api.ts";
import { answerError } from "./answers.ts";
import { catalogRoutes, type OpdsPorts } from "./catalog.ts";

/** A catalogue of the reading list (docs/apps.md) in OPDS 1.2 and, below `/v2`, 2.0: each page is a book. */
export const opds: Api<OpdsPorts> = {
  contract: findApi("opds"),
  routes: catalogRoutes,
  answerError,
  tooLarge: "the book is too large for one response",
  signIn: ({ authorization }) => {
    const [, credentials] = /^Basic +([\w+/-]+=*)$/i.exec(authorization ?? "") ?? [];
    if (credentials === undefined) return undefined;
    const [, username = "", password = ""] = /^([^:]*):(.*)$/s.exec(String(Buffer.from(credentials, "base64"))) ?? [];
    if (!isSecret(password))
      throw new ServiceError("unauthorized", "the catalog needs an app password; create one on the Account page");
    // Usernames of this service have no capitals, which phones begin words with.
    return { username: username.toLowerCase(), password };
  },
};
