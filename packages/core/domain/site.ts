// SPDX-License-Identifier: MIT

/** The host of a page, without `www.`; empty if its URL cannot be parsed. */
export const siteOf = ({ url }: { url: string }): string => withoutWww(URL.parse(url)?.hostname ?? "");

export const withoutWww = (host: string): string => host.replace(/^www\./, "");
