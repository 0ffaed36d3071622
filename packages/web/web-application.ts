/**
 * The application that the web reader calls as, with the limits of a new key: calls in a window per user and per key. The
 * key is public, because everyone can load the page, so these limits are all that it protects (docs/web-reader.md).
 */
export const webApplication = { applicationId: "web", name: "Web reader", userLimit: 1000, keyLimit: 20_000 };

/** `config.json` beside the page: what a deployment decides. */
export interface ReaderConfig {
  /** Address of the main service, absolute or relative to the page. */
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  isSignupOpen: boolean;
}

/** What the page may load and call. Images are those of articles, from any site. */
export const readerSecurityPolicy = (...services: string[]) =>
  [
    "default-src 'self'",
    `connect-src 'self' ${services.map((url) => new URL(url).origin).join(" ")}`,
    "img-src 'self' data: https: http:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types article service-worker",
  ].join("; ");
