import type { Answer, TestUser } from "./client.ts";

/** A bookmark as Readeck's clients read it, as far as tests look at it. */
export interface Bookmark {
  id: string;
  href: string;
  created: string;
  updated: string;
  url: string;
  title: string;
  site: string;
  is_archived: boolean;
  is_marked: boolean;
  labels: string[];
}

/** Calls Readeck's API for a user, as its clients do. */
export class ReadeckDevice {
  readonly #user: TestUser;
  readonly token: string;

  constructor(user: TestUser, token: string) {
    this.#user = user;
    this.token = token;
  }

  /** Signs in as an app does, with the password of the account or of an app. */
  static async signIn(user: TestUser, credentials = user.credentials, application = "test"): Promise<ReadeckDevice> {
    const { service } = user;
    const { status, body } = await service.fetch(`${service.baseUrl}/readeck/api/auth`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ application, ...credentials }),
    });
    if (status !== 201) throw new Error(`auth: ${status} ${body}`);
    return new ReadeckDevice(user, JSON.parse(body).token);
  }

  /** A call of a path below `/readeck/api`, with fields as JSON. */
  call(method: string, path: string, fields?: Record<string, unknown>): Promise<Answer> {
    return this.send(method, path, {
      ...(fields && { headers: { "content-type": "application/json" }, body: JSON.stringify(fields) }),
    });
  }

  /** The same with a body of any kind. */
  send(method: string, path: string, { headers, ...init }: RequestInit): Promise<Answer> {
    const { service } = this.#user;
    const authorization = `Bearer ${this.token}`;
    return service.fetch(`${service.baseUrl}/readeck/api/${path}`, {
      ...init,
      method,
      headers: { authorization, ...headers },
    });
  }

  async bookmarks(query = ""): Promise<Bookmark[]> {
    const { body } = await this.call("GET", `bookmarks?${query}`);
    return JSON.parse(body) as Bookmark[];
  }
}
