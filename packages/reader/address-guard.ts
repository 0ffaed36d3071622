import type { LookupAddress } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { FetchFailure } from "./fetch-failure.ts";

/**
 * Which addresses the reader may connect to: public ones only, whatever name or notation leads there, so that a page
 * view cannot reach the network that the service runs in.
 */

/** Finds every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true, verbatim: true });

/** Metadata hosts of clouds that answer on an address of the public range. */
const metadataAddresses = ["168.63.129.16"];

/** Names that only mean something inside a network. */
const internalNames = ["localhost", "local", "internal", "localdomain", "home.arpa"];

/** All of the public IPv6 internet; everything that embeds an IPv4 address by a translation prefix lies outside. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address in any notation that a socket takes is one of the public internet. IPv4-mapped addresses are
 * judged by their IPv4 address; NAT64, 6to4, Teredo and other tunnels are refused whole.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.range() === "unicast" && !metadataAddresses.includes(parsed.toString());
  }
  return parsed.range() === "unicast" && parsed.match(globalUnicast);
}

/** The address in a URL whose host is an IP literal; the URL parser has already made one notation of all. */
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
 * Refuses a URL that must not be fetched before any connection is made. Names that resolve are checked again, by
 * `guardedLookup`, when the socket opens. Throws FetchFailure.
 */
export function assertFetchable(url: URL): void {
  if (!isAllowedPort(url)) throw new FetchFailure("uses a port other than 80, 443 and those from 1024 on");
  const address = literalAddress(url);
  if (address === undefined ? isInternalName(url.hostname) : !isPublicAddress(address)) {
    throw new FetchFailure("names an address that is not public");
  }
}

/**
 * The name look-up of a socket: it connects to the very answers that were checked, so a name that resolves to
 * something else a moment later (DNS rebinding) gains nothing. One answer that is not public refuses the name.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return callback(new FetchFailure("names a host that was not found"), "");
        if (!addresses.every(({ address }) => isPublicAddress(address))) {
          return callback(new FetchFailure("names an address that is not public"), "");
        }
        if (options.all) return callback(null, [...addresses]);
        callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
