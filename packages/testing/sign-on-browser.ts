// SPDX-License-Identifier: MIT

import { RedirectFollower } from "./identity-provider.ts";

/** The end of a walk of single sign-on, in the browser that has its verifier. */
export interface Arrived {
  /** The last URL, and the answer that led to it. */
  url: string;
  response: Response;
  /** The fragment of the reader's address; empty if the walk did not end there. */
  fragment: URLSearchParams;
  verifier: string;
}

/** A browser with the web reader's side of single sign-on, for services below `publicUrl`. */
export class SignOnBrowser extends RedirectFollower {
  readonly #publicUrl: string;
  readonly #readerUrl: string;

  /** `reach`: where a URL of the service is found from here. */
  constructor(publicUrl: string, readerUrl = `${publicUrl}/app/`, reach = (url: string) => url) {
    super(reach);
    this.#publicUrl = publicUrl;
    this.#readerUrl = readerUrl;
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams(fields);
    return this.fetch(`${this.#publicUrl}/app/oidc${path}`, { method: "POST", body, headers });
  }

  isReader(url: string): boolean {
    return url.startsWith(`${this.#readerUrl}#`);
  }

  /** Begins as the reader does, and follows all redirects. */
  async walk(path: string, fields: Record<string, string> = {}): Promise<Arrived> {
    const answer = await this.post(path, fields);
    if (!answer.ok) return { url: "", response: answer, fragment: new URLSearchParams(), verifier: "" };
    const { url, verifier } = (await answer.json()) as { url: string; verifier: string };
    return { ...(await this.#arrive(url)), verifier };
  }

  /** Follows a link to the service, like a person who did not start in the reader. */
  async open(query = ""): Promise<Arrived> {
    return { ...(await this.#arrive(`${this.#publicUrl}/app/oidc${query}`)), verifier: "" };
  }

  async #arrive(from: string): Promise<Omit<Arrived, "verifier">> {
    const { url, response } = await this.follow(from, (next) => this.isReader(next));
    return { url, response, fragment: new URLSearchParams(this.isReader(url) ? new URL(url).hash.slice(1) : "") };
  }

  /** Links the account by a walk that has begun with its credentials. */
  link({ fragment, verifier }: Pick<Arrived, "fragment" | "verifier">): Promise<Response> {
    return this.post("/linked", { linked: fragment.get("linked") ?? "", verifier });
  }

  /** Exchanges the code of a walk. */
  async exchange({ fragment, verifier }: Pick<Arrived, "fragment" | "verifier">, fields: Record<string, string> = {}) {
    const proof = fragment.get("proof");
    const code = fragment.get("signin") ?? fragment.get("fresh") ?? "";
    const response = await this.post("/exchange", { code, ...(proof && { proof, verifier }), ...fields });
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const answer = isJson
      ? ((await response.json()) as { username: string; password: string; id?: string })
      : undefined;
    return { status: response.status, code: response.headers.get("x-error-code"), answer };
  }
}
