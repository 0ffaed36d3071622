import { randomUUID } from "node:crypto";
import { type Account, call, type Parameters, type ServiceAddress } from "./client.ts";

/** Items that one `send` writes all or nothing. */
export const itemsOfSend = 99;

/** A new page, with an address and a title of usual length. */
export function newPage(): { url: string; title: string } {
  const id = randomUUID();
  return {
    url: `https://news.example.com/2026/11/21/an-article-about-something/${id}`,
    title: `An article about something that happened today, as told by the news (${id.slice(0, 8)})`,
  };
}

/** A batch of new pages, as `send` takes it. */
export function newPages(): Parameters {
  return { new: JSON.stringify(Array.from({ length: itemsOfSend }, newPage)) };
}

/** Registers users under new names. */
export async function signUp(service: ServiceAddress, users: number): Promise<Account[]> {
  const accounts: Account[] = [];
  for (let i = 0; i < users; i++) {
    const account = { username: randomUUID().slice(0, 18), password: "correct horse" };
    await call(service, "signup", { ...account });
    accounts.push(account);
  }
  return accounts;
}

/** Gives a user a list of 297 items, 99 of them read. */
export async function fillList(service: ServiceAddress, account: Account): Promise<void> {
  const first = newPages();
  await call(service, "send", { ...account, ...first });
  for (let i = 0; i < 2; i++) await call(service, "send", { ...account, ...newPages() });
  await call(service, "send", { ...account, read: first.new ?? "" });
}
