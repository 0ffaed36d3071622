// SPDX-License-Identifier: MIT

import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** CIDR ranges: an address and the length of its prefix in bits. */
export type TrustedProxies = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Ranges from a list of IP addresses and CIDR ranges, separated by commas. Throws an Error if one is neither. */
export function parseTrustedProxies(list: string): TrustedProxies {
  const ranges = list.split(",").map((range) => range.trim());
  return ranges.map((range) => {
    if (range.includes("/")) return ipaddr.parseCIDR(range);
    const address = parseAddress(range);
    if (!address) throw new Error("not an IP address");
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });
}

/** Whether an address belongs to a trusted proxy. */
const isTrusted = (address: ipaddr.IPv4 | ipaddr.IPv6, trusted: TrustedProxies) =>
  trusted.length > 0 && ipaddr.subnetMatch(address, { trusted: [...trusted] }, "") === "trusted";

/** The address of a proxy that sends `X-Forwarded-For` and is not trusted; undefined for other callers. */
export function findUntrustedProxy({ headers, socket }: IncomingMessage, trusted: TrustedProxies): string | undefined {
  if (headers["x-forwarded-for"] === undefined) return undefined;
  const address = parseAddress(socket.remoteAddress ?? "");
  return address && !isTrusted(address, trusted) ? address.toString() : undefined;
}

/**
 * The address of the caller. Each proxy appends the address that it got the request from to `X-Forwarded-For`. So the
 * caller's is the right-most one that is not a trusted proxy's; a caller can make up everything to the left of it.
 */
export function findCallerAddress(request: IncomingMessage, trusted: TrustedProxies): string {
  const { remoteAddress = "" } = request.socket;
  const forwarded = request.headers["x-forwarded-for"];
  if (forwarded === undefined && isIPv4(remoteAddress)) return remoteAddress;
  let caller = "";
  for (const hop of [...String(forwarded ?? "").split(","), remoteAddress].reverse()) {
    const address = parseAddress(withoutPort(hop.trim()));
    if (!address) break;
    caller = address.toString();
    if (!isTrusted(address, trusted)) break;
  }
  return caller;
}

/** An address without the port that some proxies append: `203.0.113.1:5555`, `[2001:db8::1]:443`. */
const withoutPort = (hop: string) => hop.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");

/** Parses an address in its usual notation. IPv4 mapped to IPv6 becomes IPv4. */
const parseAddress = (text: string) => (isIP(text) === 0 ? undefined : ipaddr.process(text));
