/** The address of a stylesheet for the frame of an article, relative to the page (build.ts). */
declare module "*.frame.css" {
  const address: string;
  export default address;
}

/** Trusted Types, in browsers that have them; `script-src` and the sandbox of articles protect others. */
interface Window {
  trustedTypes?: {
    createPolicy<T extends Partial<Record<"createHTML" | "createScriptURL", (input: string) => string>>>(
      name: string,
      rules: T,
    ): T;
  };
}
