// SPDX-License-Identifier: MIT

import { findApi } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Api } from "@reading-list/http/api.ts";
import type { LinkdingPorts } from "../ports.ts";
import { answerError } from "./answers.ts";
import { bookmarkRoutes } from "./bookmarks.ts";
import { check } from "./check.ts";
import { serviceRoutes } from "./service.ts";
import { tagRoutes } from "./tags.ts";

const scheme = /^(?:Token|Bearer) +(\S+)$/i;

/** linkding's REST API (docs/apps.md) over the reading list, for linkding's apps and extensions. */
export const linkding: Api<LinkdingPorts> = {
  contract: findApi("linkding"),
  routes: [...serviceRoutes, check, ...bookmarkRoutes, ...tagRoutes],
  answerError,
  tooLarge: "the answer is too large for one response; use limit and offset",
  signIn: ({ authorization }) => {
    if (authorization === undefined) return undefined;
    const credentials = parseBearerSecret(scheme.exec(authorization)?.[1] ?? "");
    if (!credentials)
      throw new ServiceError(
        "unauthorized",
        "the Authorization header must be `Token`, followed by your username, a dot and an app password",
      );
    return credentials;
  },
};
