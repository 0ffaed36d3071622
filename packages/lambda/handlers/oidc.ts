// SPDX-License-Identifier: MIT

import { createApiHandler } from "@reading-list/http/api.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createOidc } from "@reading-list/protocols/oidc/api.ts";
import { callbackUrl, Provider } from "@reading-list/protocols/oidc/provider.ts";
import { createIdentityStore } from "@reading-list/store-dynamodb/identities.ts";
import { composeLiveHandler, liveSettings, liveTable } from "../compose/live.ts";

const { signOn, publicUrl, readerUrl, service } = liveSettings;
if (!signOn || !publicUrl || !readerUrl) throw new Error("this function has no single sign-on provider");
const oidc = createOidc(readerUrl);
const provider = new Provider(signOn, callbackUrl(publicUrl));
const identities = createIdentityStore(liveTable());

export const handler = composeLiveHandler(oidc.contract, { passwords: createPasswordHasher() }, (deps, report) => {
  const ports = { ...deps, publicUrl, readerUrl, provider, identities, isRegistrationOpen: service.signup === "open" };
  return createApiHandler(ports, report, oidc);
});
