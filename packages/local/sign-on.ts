// SPDX-License-Identifier: MIT

import { createApiHandler } from "@reading-list/http/api.ts";
import type { Handler } from "@reading-list/http/call.ts";
import type { ChainPorts } from "@reading-list/http/links.ts";
import type { Report } from "@reading-list/http/watch/watch-calls.ts";
import type { OidcPorts } from "@reading-list/protocols/oidc/api.ts";
import type { ProviderSettings } from "@reading-list/protocols/oidc/provider.ts";

const folder = "/app/oidc";

/** Its paths, which are below that of the web reader. */
export const pathsOfSignOn = ["", "/callback", "/exchange", "/link", "/unlink", "/state", "/logout"].map(
  (path) => folder + path,
);

/** Single sign-on. Its libraries are loaded only by services that have it. */
export async function createSignOn(
  deps: ChainPorts & Omit<OidcPorts, "provider">,
  report: Report,
  settings: ProviderSettings,
): Promise<Handler> {
  const { oidc } = await import("@reading-list/protocols/oidc/api.ts");
  const { Provider } = await import("@reading-list/protocols/oidc/provider.ts");
  const provider = new Provider(settings, `${deps.publicUrl}${folder}/callback`);
  return createApiHandler({ ...deps, provider }, report, oidc);
}
