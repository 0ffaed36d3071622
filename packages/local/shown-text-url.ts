// SPDX-License-Identifier: MIT

/** The URL of the text host for a browser that reached the main host by this `Host` header. */
export type ShownTextUrl = (host: string | undefined) => string;

/**
 * The text host under the hostname that the browser used: a phone uses another address of this machine. Behind a
 * reverse proxy (`TEXT_URL`, `BASE_URL`) it is always `publicTextUrl`.
 */
export function createShownTextUrl(publicTextUrl: string | undefined, textUrl: string): ShownTextUrl {
  const { hostname, port } = new URL(textUrl);
  return (host = "") => {
    const shown = URL.parse(`http://${host}`)?.hostname ?? "";
    // A hostname may contain `;` and `'`, which would begin another directive of the security policy.
    return publicTextUrl ?? `http://${/^[\w.-]+$|^\[[\da-f:.]+\]$/.test(shown) ? shown : hostname}:${port}`;
  };
}
