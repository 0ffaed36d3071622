// SPDX-License-Identifier: MIT

import type { StoredPassword } from "@reading-list/client/device-password.ts";
import type { ReadingListClient } from "@reading-list/client/main.ts";
import { deleteState, readStoredJson, readTabJson, stateKey, store, storeForTab } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { Observable } from "../kit/observable.ts";
import { deletePictures } from "../kit/picture-key.ts";
import type { BrowserSignIn } from "./browser-sign-in.ts";
import { type Credentials, clientFor, deleteOtherReplicas, deleteReplica } from "./replicas.ts";
import type { Session } from "./session.ts";

/** The user that this browser remembers: an app password only with "stay signed in". */
interface Remembered extends Partial<StoredPassword> {
  username?: string;
}

export interface SignIn extends Credentials {
  /** Register the user first. */
  isNew: boolean;
  /** The secret of an operator's link, or the code of the log, with which the user is registered. */
  invitation?: string | undefined;
  /** Store an app password in this browser; else one in this tab, for a day. */
  stays: boolean;
}

/** Loads the code of a session, which the page for signing in does without. */
const loadSession = () => import("./session.ts");

/** Loaded only to sign in. */
const loadPasswords = () => import("@reading-list/client/device-password.ts");
const devicePassword = async (...login: [client: ReadingListClient, password: string]): Promise<StoredPassword> =>
  (await loadPasswords()).devicePassword("Web reader", ...login);
const tabPassword = async (client: ReadingListClient) => (await loadPasswords()).tabPassword("Web reader tab", client);

const accountKey = `${stateKey}.account`;
/** In the storage of the tab: its user and app password, never the account's. */
const tabKey = `${stateKey}.tab`;

const rememberedUser = () => readStoredJson<Remembered>(accountKey, {});
const readTabUser = () => readTabJson<Partial<Credentials>>(tabKey, {});

/** The user with whose session this page starts: one who stays signed in, or who has signed in in this tab. */
function startingUser(): Partial<Credentials> {
  const remembered = rememberedUser();
  return remembered.password ? remembered : readTabUser();
}

/** Reads the list of the user with whose session this page starts. Returns whether there is one. */
export function readAhead(): boolean {
  const { username, password } = startingUser();
  if (!username || !password) return false;
  void loadSession().then((session) => session.readAhead(username));
  return true;
}

/** The user who is signed in, in this tab. */
export class Account {
  readonly session = new Observable<Session | undefined>(undefined);
  readonly #config: ReaderConfig;
  readonly #channel = new BroadcastChannel("reading-list-account");

  constructor(config: ReaderConfig) {
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
    return rememberedUser();
  }

  /** The user chose "Stay signed in". */
  get stays(): boolean {
    return this.remembered.password !== undefined;
  }

  /**
   * Opens the session of a user who stays signed in, or of one who has signed in in this tab; deletes all that is stored of
   * any other one.
   */
  async resume(): Promise<void> {
    const { username, password } = startingUser();
    const deleted = deleteOtherReplicas(password && username);
    if (username && password) {
      await Promise.all([deleted, this.#open({ username, password })]);
      return void this.#replaceOldPassword();
    }
    const { username: last } = this.remembered;
    await deleted;
    deleteState();
    await deletePictures();
    if (last) this.#remember({ username: last });
  }

  /** Signs in. Throws `ApiError`. */
  async signIn({ username, password, isNew, invitation, stays }: SignIn): Promise<void> {
    const client = clientFor(this.#config, { username, password });
    await (isNew ? client.signup({ invitation }) : client.auth());
    const stored = stays ? await devicePassword(client, password) : undefined;
    const forTab = stays ? undefined : await this.#rememberInTab(client, username);
    await this.#enter({ username, password: (stored ?? forTab)?.password ?? password }, stored);
  }

  /** Opens the session of a sign-in that the service has made for this browser; continues with it if the user is signed in. */
  async use({ username, password, id, stays }: BrowserSignIn): Promise<void> {
    if (!stays) storeForTab(tabKey, JSON.stringify({ username, password }));
    const stored = stays ? { password, ...(id !== undefined && { id }) } : undefined;
    const session = this.session.value;
    if (!session) return this.#enter({ username, password }, stored);
    session.renew(password);
    if (stored) this.#remember({ username, ...stored });
  }

  /** Opens the session of a user who has signed in; `stored` stays in this browser. */
  async #enter(credentials: Credentials, stored: StoredPassword | undefined): Promise<void> {
    await this.#open(credentials);
    this.#remember({ username: credentials.username, ...stored });
    // Otherwise a browser that is short of space may delete the list with its unsent changes.
    if (stored) void navigator.storage?.persist?.();
  }

  /** Continues with another password; an app password of it is stored if one was. Throws `ApiError`. */
  async renew(password: string): Promise<void> {
    const { username = "" } = this.remembered;
    const client = this.createClient(password);
    await client.auth();
    const stored = this.stays ? await devicePassword(client, password) : await this.#rememberInTab(client, username);
    this.session.value?.renew(stored?.password ?? password);
    if (username && this.stays) this.#remember({ username, ...stored });
  }

  /** A client with the account's own password, which manages the account. */
  createClient(password: string): ReadingListClient {
    const { username = "" } = this.session.value ?? {};
    return clientFor(this.#config, { username, password });
  }

  /** Signs out in all tabs, and deletes all that this browser stores of the user. */
  async signOut(): Promise<void> {
    const { username } = this.session.value ?? {};
    if (!username) return;
    this.#channel.postMessage(username);
    this.#close();
    deleteState();
    await Promise.all([deleteReplica(username), deletePictures()]);
  }

  async #open(credentials: Credentials): Promise<void> {
    const { Session } = await loadSession();
    this.session.value = await Session.open(this.#config, credentials);
  }

  /** An earlier version has stored the account's password. */
  async #replaceOldPassword(): Promise<void> {
    const { username, password, id } = this.remembered;
    if (!username || !password || id !== undefined) return;
    // The old password stays in use; the next start tries again.
    const stored = await devicePassword(this.createClient(password), password).catch(() => undefined);
    if (stored?.id === undefined || this.remembered.password !== password) return;
    this.#remember({ username, ...stored });
    this.session.value?.renew(stored.password);
  }

  /** So that a reload does not sign out. Without an app password the tab has the account's until then. */
  async #rememberInTab(client: ReadingListClient, username: string): Promise<StoredPassword | undefined> {
    const stored = await tabPassword(client);
    if (stored) storeForTab(tabKey, JSON.stringify({ username, password: stored.password }));
    return stored;
  }

  #close(): void {
    this.session.value?.close();
    this.session.value = undefined;
  }

  #remember(remembered: Remembered): void {
    store(accountKey, JSON.stringify(remembered));
  }
}
