/** The site of an item, as people name it; empty for what is no URL. */
export const siteOf = (url: string): string => URL.parse(url)?.hostname.replace(/^www\./, "") ?? "";
