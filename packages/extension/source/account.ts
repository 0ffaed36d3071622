import { ApiError, ReadingListClient } from "@reading-list/client/main.ts";

/** The fields of the options page. */
export interface Account {
  /** Address of the main service. */
  baseUrl: string;
  apiKey: string;
  username: string;
  password: string;
  /** Address of the web reader; by default `/app/` of the main service. */
  readerUrl?: string;
}

/** The account in the profile of the browser; undefined before the options were saved. */
export async function readAccount(): Promise<Account | undefined> {
  const { account } = await chrome.storage.local.get<{ account?: Account }>("account");
  return account;
}

export const writeAccount = (account: Account) => chrome.storage.local.set({ account });

/** A worker of an extension may end after 30 seconds without an event, so the alarm retries, and not the client. */
export const clientOf = (account: Account) => new ReadingListClient({ ...account, retries: 1, timeout: 20_000 });

/**
 * The account with an app password in place of the account's, which the profile of the browser does not store. As it is
 * if the service has no app passwords, refuses to make one, or it has one already.
 */
export async function withAppPassword(account: Account): Promise<Account> {
  if ((await readAccount())?.password === account.password) return account;
  try {
    const { password } = await clientOf(account).createAppPassword("Browser extension");
    return { ...account, password };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return account;
  }
}

const isLoopback = ({ hostname }: URL) => hostname === "127.0.0.1" || hostname === "localhost";

/** Whether a password may be sent there: over https, or without leaving the computer. */
export function isSafeAddress(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url));
}
