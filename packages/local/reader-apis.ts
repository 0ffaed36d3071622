// SPDX-License-Identifier: MIT

import { toApiFolder } from "@reading-list/core/contract/apis.ts";
import { type Api, createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import type { ChainPorts } from "@reading-list/http/links.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import type { OidcPorts } from "@reading-list/protocols/oidc/api.ts";
import type { ProviderSettings } from "@reading-list/protocols/oidc/provider.ts";

/** The routes of an API for the web reader, which are below the routes of its files. */
export function createReaderApi<Ports>(api: Api<Ports>, deps: ChainPorts & Ports, report: Report) {
  const handler = createApiHandler(deps, report, api);
  const paths = api.routes.map(({ route }) => route.slice(route.indexOf("/")).replace(/^\/$/, ""));
  return new Map<string, Handler>(paths.map((path) => [`ANY ${toApiFolder(api.contract)}${path}`, handler]));
}

/** The routes of single sign-on. Its libraries are loaded only by services that have it. */
export async function createSignOn(
  deps: ChainPorts & Omit<OidcPorts, "provider">,
  report: Report,
  settings: ProviderSettings,
) {
  const { createOidc } = await import("@reading-list/protocols/oidc/api.ts");
  const { Provider, callbackUrl } = await import("@reading-list/protocols/oidc/provider.ts");
  const provider = new Provider(settings, callbackUrl(deps.publicUrl));
  return createReaderApi(createOidc(deps.readerUrl), { ...deps, provider }, report);
}
