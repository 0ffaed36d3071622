// SPDX-License-Identifier: MIT

import { apis } from "@reading-list/core/contract/apis.ts";
import { parseBearerSecret } from "@reading-list/core/contract/bearer-secret.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { Api } from "@reading-list/http/api.ts";
import { actionRoutes } from "./actions.ts";
import { answerError } from "./answers.ts";
import { articleRoutes } from "./articles.ts";
import { deviceRoutes } from "./device.ts";
import { bounds } from "./fields.ts";
import { imageRoutes } from "./images.ts";
import { itemRoutes } from "./items.ts";
import { type KoboPorts, shopRoutes } from "./shop.ts";

/** The article sync of Kobo e-readers (docs/apps.md), which is Instapaper's on the devices of a shop. */
export const kobo: Api<KoboPorts> = {
  contract: apis.find(({ name }) => name === "kobo") as Api<KoboPorts>["contract"],
  routes: [...itemRoutes, ...actionRoutes, ...articleRoutes, ...imageRoutes, ...deviceRoutes, ...shopRoutes],
  bounds,
  answerError,
  tooLarge: "the answer is too large for one response",
  signIn: (_, { access_token: token }) => {
    if (typeof token !== "string") return undefined;
    const credentials = parseBearerSecret(token);
    if (!credentials) throw new ServiceError("unauthorized", "the access token is not from this service");
    return credentials;
  },
};
