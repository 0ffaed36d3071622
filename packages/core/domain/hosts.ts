// SPDX-License-Identifier: MIT

/** A URL whose host is written as the parser returns it: no encoding, user, port or number. */
// bounded: the URL of a page, which has a maximum length
const plainHost = /^https?:\/\/(?!(?:[^/]*\.)?xn--)((?:[a-z\d-]+\.)*[a-z][a-z\d-]*)(?:[/?#]|$)/;

/** The host of a page, without `www.`; empty if its URL cannot be parsed. */
export const toSite = ({ url }: { url: string }): string =>
  // A list of 20,000 pages would be parsed at each start of the web reader.
  withoutWww(plainHost.exec(url)?.[1] ?? URL.parse(url)?.hostname ?? "");

export const withoutWww = (host: string): string => host.replace(/^www\./, "");

/** Whether a host name as URL parsers write it is this machine. */
export const isLoopback = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
