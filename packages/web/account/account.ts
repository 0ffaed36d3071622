import { ApiError } from "@reading-list/client/main.ts";
import type { Config } from "../app/config.ts";
import { Observable } from "../app/observable.ts";
import { type Credentials, clientFor, deleteReplica, hasReplica, Session, stateKey } from "./session.ts";

/** What this browser remembers of the user: the password only with "stay signed in". */
interface Remembered {
  username?: string;
  password?: string;
}

export interface SignIn extends Credentials {
  /** Register the user first. */
  isNew: boolean;
  /** Store the password in this browser. */
  stays: boolean;
}

const accountKey = `${stateKey}.account`;

/** Who is signed in, in this tab. */
export class Account {
  readonly session = new Observable<Session | undefined>(undefined);
  readonly #config: Config;
  readonly #channel = new BroadcastChannel("reading-list-account");

  constructor(config: Config) {
    this.#config = config;
    this.#channel.onmessage = ({ data }) => {
      if (data === this.session.value?.username) this.#close();
    };
  }

  get remembered(): Remembered {
    try {
      return JSON.parse(localStorage.getItem(accountKey) ?? "{}");
    } catch {
      return {};
    }
  }

  /** Opens the session of a user who stays signed in. */
  async resume(): Promise<void> {
    const { username, password } = this.remembered;
    if (username && password) this.session.value = await Session.open(this.#config, { username, password });
  }

  /**
   * Signs in. If the service cannot be asked, a user whose list is on this device gets that list; the next sync checks
   * the password. Throws `ApiError`.
   */
  async signIn({ username, password, isNew, stays }: SignIn): Promise<void> {
    const client = clientFor(this.#config, { username, password });
    try {
      await (isNew ? client.signup() : client.auth());
    } catch (error) {
      const isUnanswered = error instanceof ApiError && ["noResponse", "unavailable"].includes(error.kind);
      if (isNew || !isUnanswered || !(await hasReplica(username))) throw error;
    }
    this.#remember({ username, ...(stays && { password }) });
    // Otherwise a browser that is short of space may delete the list with its unsent changes.
    if (stays) void navigator.storage?.persist?.();
    this.session.value = await Session.open(this.#config, { username, password });
  }

  /** Continues with another password, which is stored if the old one was. Throws `ApiError`. */
  async renew(password: string): Promise<void> {
    const { username, password: stored } = this.remembered;
    await this.session.value?.renew(password);
    if (username && stored) this.#remember({ username, password });
  }

  /** Signs out in all tabs, and deletes all that this browser stores of the user. */
  async signOut(): Promise<void> {
    const { username } = this.session.value ?? {};
    if (!username) return;
    this.#channel.postMessage(username);
    this.#close();
    const names = Object.keys(localStorage).filter((name) => name.startsWith(stateKey));
    for (const name of names) localStorage.removeItem(name);
    await deleteReplica(username);
  }

  #close(): void {
    this.session.value?.close();
    this.session.value = undefined;
  }

  #remember(remembered: Remembered): void {
    localStorage.setItem(accountKey, JSON.stringify(remembered));
  }
}
