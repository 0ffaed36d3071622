import { deleteState, readStoredJson, stateKey, store } from "../kit/browser-storage.ts";
import type { Config } from "../kit/config.ts";
import { Observable } from "../kit/observable.ts";
import { type Credentials, clientFor, deleteOtherReplicas, deleteReplica, Session } from "./session.ts";

/** The user that this browser remembers: the password only with "stay signed in". */
interface Remembered {
  username?: string;
  password?: string;
}

/** Deletes the images of articles that the service worker has cached. */
const deleteImages = async () => "caches" in globalThis && (await caches.delete("images"));

export interface SignIn extends Credentials {
  /** Register the user first. */
  isNew: boolean;
  /** Store the password in this browser. */
  stays: boolean;
}

const accountKey = `${stateKey}.account`;

/** The user who is signed in, in this tab. */
export class Account {
  readonly session = new Observable<Session | undefined>(undefined);
  readonly #config: Config;
  readonly #channel = new BroadcastChannel("reading-list-account");

  constructor(config: Config) {
    this.#config = config;
    this.#channel.onmessage = ({ data }) => {
      if (data === this.session.value?.username) this.#close();
    };
    addEventListener("beforeunload", (event) => {
      const { list } = this.session.value ?? {};
      // The next start deletes them.
      if (list && list.unsent.value > 0 && !this.stays) event.preventDefault();
    });
  }

  get remembered(): Remembered {
    return readStoredJson<Remembered>(accountKey, {});
  }

  /** The user chose "Stay signed in". */
  get stays(): boolean {
    return this.remembered.password !== undefined;
  }

  /** Opens the session of a user who stays signed in; deletes all that is stored of one who does not. */
  async resume(): Promise<void> {
    const { username, password } = this.remembered;
    await deleteOtherReplicas(password && username);
    if (username && password) return this.#open({ username, password });
    deleteState();
    await deleteImages();
    if (username) this.#remember({ username });
  }

  /** Signs in. Throws `ApiError`. */
  async signIn({ username, password, isNew, stays }: SignIn): Promise<void> {
    const client = clientFor(this.#config, { username, password });
    await (isNew ? client.signup() : client.auth());
    await this.#open({ username, password });
    this.#remember({ username, ...(stays && { password }) });
    // Otherwise a browser that is short of space may delete the list with its unsent changes.
    if (stays) void navigator.storage?.persist?.();
  }

  /** Continues with another password, which is stored if the old one was. Throws `ApiError`. */
  async renew(password: string): Promise<void> {
    const { username } = this.remembered;
    await this.session.value?.renew(password);
    if (username && this.stays) this.#remember({ username, password });
  }

  /** Signs out in all tabs, and deletes all that this browser stores of the user. */
  async signOut(): Promise<void> {
    const { username } = this.session.value ?? {};
    if (!username) return;
    this.#channel.postMessage(username);
    this.#close();
    deleteState();
    await Promise.all([deleteReplica(username), deleteImages()]);
  }

  async #open(credentials: Credentials): Promise<void> {
    this.session.value = await Session.open(this.#config, credentials);
  }

  #close(): void {
    this.session.value?.close();
    this.session.value = undefined;
  }

  #remember(remembered: Remembered): void {
    store(accountKey, JSON.stringify(remembered));
  }
}
