// SPDX-License-Identifier: MIT

/**
 * The cookies of one redirect chain. Without them a site that sets a cookie and redirects to itself would redirect
 * forever. Expiry and paths are ignored, because the cookies are discarded with the chain.
 */
export class RedirectCookies {
  readonly #cookies = new Map<string, Cookie>();

  /** Stores the cookies that the host of `url` may set. */
  store(url: URL, setCookieHeaders: readonly string[]): void {
    for (const header of setCookieHeaders) {
      const cookie = parseCookie(header, url.hostname);
      if (cookie === undefined || this.#cookies.size >= maxCookies) continue;
      this.#cookies.set(`${cookie.domain};${cookie.name}`, cookie);
    }
  }

  /** The `Cookie` header for a request to `url`; undefined without cookies. */
  header(url: URL): string | undefined {
    const pairs = [...this.#cookies.values()]
      .filter((cookie) => isSentTo(cookie, url))
      .map((cookie) => `${cookie.name}=${cookie.value}`);
    return pairs.length === 0 ? undefined : pairs.join("; ");
  }
}

interface Cookie {
  name: string;
  value: string;
  domain: string;
  includesSubdomains: boolean;
  secure: boolean;
}

const maxCookies = 50;
const maxCookieLength = 4096;

const printableAscii = /^[\x20-\x7e]*$/;

function parseCookie(header: string, hostname: string): Cookie | undefined {
  if (header.length > maxCookieLength || !printableAscii.test(header)) return undefined;
  const [pair = "", ...attributes] = header.split(";").map((part) => part.trim());
  const equals = pair.indexOf("=");
  if (equals < 1) return undefined;
  const domain = attributes
    .find((attribute) => /^domain=/i.test(attribute))
    ?.slice("domain=".length)
    .replace(/^\./, "")
    .toLowerCase();
  if (domain && !isWithin(hostname, domain)) return undefined;
  return {
    name: pair.slice(0, equals),
    value: pair.slice(equals + 1),
    domain: domain || hostname,
    includesSubdomains: Boolean(domain),
    secure: attributes.some((attribute) => attribute.toLowerCase() === "secure"),
  };
}

/** No host may set cookies for a domain of a single label, such as `com`. */
function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || (domain.includes(".") && hostname.endsWith(`.${domain}`));
}

function isSentTo(cookie: Cookie, url: URL): boolean {
  if (cookie.secure && url.protocol !== "https:") return false;
  return cookie.includesSubdomains ? isWithin(url.hostname, cookie.domain) : url.hostname === cookie.domain;
}
