// SPDX-License-Identifier: MIT

/** The addresses of the pictures in an article, whose `&` the service writes as `&amp;`. */
export const keptSourcesIn = (html: string): string[] =>
  [...html.matchAll(/ src="([^"]+)"/g)].map(([, source = ""]) => source.replaceAll("&amp;", "&"));
