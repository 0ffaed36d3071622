// SPDX-License-Identifier: MIT

/** The absolute URL of a link of the view; undefined if it is invalid or its scheme is not http, https or mailto. */
export function linkTarget(href: string | null | undefined, base: string): string | undefined {
  return absoluteUrl(href, base, /^(?:https?|mailto):$/);
}

/** A part of a URL without its percent signs; unchanged if they are wrong. */
export function decodeUrlPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The absolute URL of an image of the view; undefined if it is invalid or its scheme is not http or https. */
export function imageSource(src: string | null | undefined, base: string): string | undefined {
  return absoluteUrl(src, base, /^https?:$/);
}

function absoluteUrl(value: string | null | undefined, base: string, schemes: RegExp): string | undefined {
  const url = value === null || value === undefined ? null : URL.parse(value, base);
  return url !== null && schemes.test(url.protocol) ? url.href : undefined;
}
