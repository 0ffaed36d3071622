// SPDX-License-Identifier: MIT

import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import { FetchError } from "./fetch-error.ts";

/**
 * Finds all addresses of a host name. Throws FetchError if the host has no address or if the DNS servers do not answer in time.
 */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Lookups at the same time. */
const maxLookups = 100;
/** Milliseconds until a server that has not answered is asked again, and how often it is asked. */
const firstTryMs = 1000;
const tries = 3;

/**
 * A resolver that asks the DNS servers itself. `getaddrinfo`, which Node uses by default, cannot be cancelled and occupies
 * one of libuv's four threads until it gives up: a few dead host names block all other lookups. It does not read
 * `/etc/hosts`; allowed origins, which are local pages, do not use it. `servers` are `address:port`; default: the system's.
 * A lookup ends after `timeoutMs` milliseconds, including the wait for its turn.
 */
export function createHostResolver(servers?: readonly string[], timeoutMs = 4000): Resolve {
  const inFlight = new Map<string, Promise<readonly LookupAddress[]>>();
  const lookups = new FairQueue({ atOnce: maxLookups });

  async function query(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const leave = await lookups.enter("", signal);
    // One resolver for each lookup, because `cancel` ends all queries of a resolver.
    const resolver = new Resolver({ timeout: firstTryMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel);
    try {
      return chooseAddresses(await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]));
    } finally {
      signal.removeEventListener("abort", cancel);
      leave();
    }
  }

  return (hostname) => {
    const shared = inFlight.get(hostname);
    if (shared !== undefined) return shared;
    const lookup = query(hostname, AbortSignal.timeout(timeoutMs)).catch((error: unknown) => {
      throw error instanceof FetchError ? error : lookupFailure(error);
    });
    inFlight.set(hostname, lookup);
    const forget = () => inFlight.delete(hostname);
    lookup.then(forget, forget);
    return lookup;
  };
}

type Answers = [PromiseSettledResult<string[]>, PromiseSettledResult<string[]>];

/** The IPv4 addresses first, because Lambda functions have no IPv6 route by default. */
function chooseAddresses([ipv4, ipv6]: Answers): LookupAddress[] {
  const addresses = [
    ...(ipv4.status === "fulfilled" ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
    ...(ipv6.status === "fulfilled" ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  // A host without addresses of either kind does not exist for the reader; any other failure may be temporary.
  const failures = [ipv4, ipv6].flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  const temporary = failures.find(({ code }: NodeJS.ErrnoException) => !notFoundCodes.has(code ?? ""));
  if (temporary !== undefined) throw lookupFailure(temporary);
  throw new FetchError("has a host that was not found", { cause: failures[0], isTemporary: true });
}

const notFoundCodes = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

const lookupFailure = (cause: unknown) =>
  new FetchError("has a host that could not be looked up", { cause, isTemporary: true });
