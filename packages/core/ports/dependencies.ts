// SPDX-License-Identifier: MIT

import type { LRUCache } from "lru-cache";
import type { ErasePermit } from "../domain/clock-check.ts";
import type { Limits } from "../domain/limits.ts";
import type { ServiceSettings } from "../service-settings.ts";
import type { ApiKeyStore, KeyWindowStore } from "./applications.ts";
import type { ArticleStore } from "./articles.ts";
import type { Clock } from "./clock.ts";
import type { HighlightStore } from "./highlights.ts";
import type { ItemStore, SnapshotStore, TrashStore, WholeListReader } from "./items.ts";
import type { KeptPageStore } from "./kept-pages.ts";
import type { MailPort } from "./mail.ts";
import type { SettingStore } from "./maintenance.ts";
import type { AdministrationStore, Backups, Checks, OperatorStore, Storage } from "./operator.ts";
import type { PageReader } from "./pages.ts";
import type { PictureReader, PictureStore } from "./pictures.ts";
import type { ListIndexer, ListSearch, SearchIndex } from "./search.ts";
import type { ShareStore } from "./shares.ts";
import type {
  AuthorizationStore,
  LoginAttemptStore,
  PasswordHasher,
  PasswordProof,
  SecondFactor,
  SignatureKey,
  SignInStore,
} from "./sign-ins.ts";
import type { DeletionStore, UserStore } from "./users.ts";

/** The dependencies of use cases. Times of all ports are unix seconds unless a name says otherwise. */
export interface Dependencies extends ServiceSettings {
  clock: Clock;
  defaultLimits: Limits;
  /** Whether `signup` creates users; if not, only an operator does. */
  isSignupOpen: boolean;
  /** Operators and their links; undefined if the database is not on this machine. */
  administration: AdministrationStore | undefined;
  /** The code that makes the first operator; undefined if there is one already. */
  operatorCode: string | undefined;
  /** The key of clients without their own key (docs/apps.md); undefined if the stage has none. */
  publicApiKey: string | undefined;
  /** The address of the main host in answers; undefined: the address that the client has called. */
  publicUrl: string | undefined;
  /** The same for the text host. */
  textUrl: string | undefined;
  /** The address of the text host for a client that has reached the main host at `calledUrl`. */
  textUrlFor: (calledUrl: string) => string;
  shares: ShareStore;
  /** Origins of the service and its web reader, in addition to the host that a call names. */
  ownOrigins: readonly string[];
  apiKeys: ApiKeyStore;
  users: UserStore;
  signIns: SignInStore;
  authorizations: AuthorizationStore;
  snapshots: SnapshotStore;
  deletion: DeletionStore;
  items: ItemStore;
  trash: TrashStore;
  highlights: HighlightStore;
  articles: ArticleStore;
  /** Undefined if no pictures are kept. */
  pictureStore: PictureStore | undefined;
  /** Milliseconds for which a call waits for pictures without a saved copy; the next call has the later ones. */
  pictureWaitMs: number;
  /** Milliseconds for which a call waits for articles that are not kept yet: some clients time out after 10 s. */
  articleWaitMs: number;
  keptPages: KeptPageStore;
  keyWindows: KeyWindowStore;
  loginAttempts: LoginAttemptStore;
  settings: SettingStore;
  /** Whether the disk of the database has no room for more data; undefined if it is not on this machine. */
  isDiskFull?: (() => boolean) | undefined;
  /** Asked before anything is erased by age; undefined under an implausible clock. */
  erasePermit: () => Promise<ErasePermit | undefined>;
  /** Waits until everything is durable that was read or written. Throws if it cannot become so. */
  untilDurable: () => Promise<void>;
  passwords: PasswordHasher;
  /** Undefined if the service has no passkeys. */
  secondFactor: SecondFactor | undefined;
  proofOf: PasswordProof;
  signatureKey: SignatureKey;
  reader: PageReader;
  /** Undefined if pictures are left out. */
  pictures: PictureReader | undefined;
  /** Pages that could not be read for a user's list within the last hour, by the ids of user and item. */
  unreadablePages: LRUCache<string, true>;
  wholeLists: WholeListReader;
  searchIndex: SearchIndex;
  listIndexer: ListIndexer;
  /** Undefined where there is no index: then titles, URLs and tags are searched. */
  listSearch: ListSearch | undefined;
}

/** The parts that a database provides. */
export type Stores = Pick<
  Dependencies,
  | "apiKeys"
  | "users"
  | "signIns"
  | "authorizations"
  | "shares"
  | "snapshots"
  | "deletion"
  | "items"
  | "trash"
  | "highlights"
  | "keyWindows"
  | "loginAttempts"
  | "settings"
  | "erasePermit"
  | "untilDurable"
>;

/** The ports of the endpoints of operators. */
export interface OperatorPorts extends Pick<Dependencies, "publicUrl" | "isSignupOpen"> {
  administration: AdministrationStore;
  records: OperatorStore;
  /** Undefined without `BACKUP_TO`. */
  backups: Backups | undefined;
  /** Undefined without `SMTP_URL`. */
  mail: MailPort | undefined;
  /** Undefined for a database in memory. */
  checks: Checks | undefined;
  storage: () => Storage;
  /** Unix seconds of the last backup to anywhere. */
  lastBackup: () => number | undefined;
  version: string;
}
