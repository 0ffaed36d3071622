// SPDX-License-Identifier: MIT

import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { FetchError } from "./fetch-error.ts";
import type { Resolve } from "./resolve-host.ts";

/**
 * Protection against server-side request forgery (SSRF): the reader connects to public addresses only, whatever name or
 * notation a URL uses, so that a caller cannot reach the network in which the service runs.
 */

/** Cloud metadata services on an address of the public range: Azure's wire server. */
const metadataAddresses = ["168.63.129.16"];

/** Top-level names of private networks. */
const internalNames = ["localhost", "local", "internal", "localdomain", "home.arpa"];

/** The public IPv6 internet. Prefixes that embed an IPv4 address by translation (NAT64, for example) are outside. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address, in any notation that a socket accepts, belongs to the public internet. For an IPv4-mapped address
 * the IPv4 address decides. All tunnels (NAT64, 6to4, Teredo) are refused.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.range() === "unicast" && !metadataAddresses.includes(parsed.toString());
  }
  return parsed.range() === "unicast" && parsed.match(globalUnicast);
}

/** The address if the URL's host is an IP literal. The URL parser has already normalised its notation. */
function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(host) ? host : undefined;
}

function isInternalName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  return internalNames.some((internal) => name === internal || name.endsWith(`.${internal}`));
}

function isAllowedPort(url: URL): boolean {
  return url.port === "" || url.port === "80" || url.port === "443" || Number(url.port) >= 1024;
}

/**
 * Throws FetchError if a URL must not be fetched, before any connection is made. The addresses of a host name are
 * checked by `guardedLookup` when the socket opens.
 */
export function assertFetchable(url: URL): void {
  if (!isAllowedPort(url)) throw new FetchError("uses a port below 1024 other than 80 and 443");
  const address = literalAddress(url);
  if (address === undefined ? isInternalName(url.hostname) : !isPublicAddress(address)) {
    throw new FetchError("has a host whose address is not public");
  }
}

/**
 * The lookup function of a socket. The socket connects to the addresses that were checked here, which prevents DNS
 * rebinding: a second lookup could return another address. One address that is not public refuses the host name.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new FetchError("has a host that was not found"), "");
        if (!addresses.every(({ address }) => isPublicAddress(address))) {
          return callback(new FetchError("has a host whose address is not public"), "");
        }
        if (options.all) return callback(null, [...addresses]);
        callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
