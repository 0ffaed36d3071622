// SPDX-License-Identifier: MIT

import type { ChainPorts } from "@reading-list/http/links.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import type { OidcPorts } from "@reading-list/protocols/oidc/api.ts";
import type { ProviderSettings } from "@reading-list/protocols/oidc/provider.ts";
import { createReaderApi } from "./reader-apis.ts";

/** The routes of single sign-on. Its libraries are loaded only by services that have it. */
export async function createSignOn(
  deps: ChainPorts & Omit<OidcPorts, "provider">,
  report: Report,
  settings: ProviderSettings,
) {
  const { createOidc } = await import("@reading-list/protocols/oidc/api.ts");
  const { Provider, callbackOf } = await import("@reading-list/protocols/oidc/provider.ts");
  const provider = new Provider(settings, callbackOf(deps.publicUrl));
  return createReaderApi(createOidc(deps.readerUrl), { ...deps, provider }, report);
}
