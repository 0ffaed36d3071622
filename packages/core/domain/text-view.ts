// SPDX-License-Identifier: MIT

export interface TextRequest {
  url: string;
  mode: "less" | "more";
  images: boolean;
}

/** The fields of a page that an app has sent; they replace the page's own fields. */
export type KnownFields = Partial<Pick<TextView, "author" | "publishedAt" | "imageUrl" | "language">>;

/** A page as the text view shows it (docs/api.md 9). URLs are absolute http(s) URLs. */
export interface TextView {
  /** A clean HTML fragment; empty if no article was found. */
  html: string;
  title: string;
  resolvedUrl: string;
  nextUrl: string | undefined;
  loginFound: boolean;
  /** The image that the page names for previews. */
  imageUrl?: string | undefined;
  /** Names, separated by ", ". */
  author?: string | undefined;
  /** The time of publication in ISO 8601: a date, or a date and time in UTC. */
  publishedAt?: string | undefined;
  /** The language of the text (BCP 47), if an app has sent it. */
  language?: string | undefined;
  /** A sentence in printable ASCII that explains to the reader why text is missing. */
  notice?: string | undefined;
}
