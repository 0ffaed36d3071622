import { randomUUID } from "node:crypto";
import { type Account, call, type ServiceAddress } from "./client.ts";

/** Items that one `send` writes all or nothing. */
export const itemsOfSend = 99;

/** Items of a list that the bench reads. */
export const itemsOfList = 3 * itemsOfSend;

/** A new page, with an address and a title of usual length. */
export function newPage(): { url: string; title: string } {
  const id = randomUUID();
  return {
    url: `https://news.example.com/2026/11/21/an-article-about-something/${id}`,
    title: `An article about something that happened today, as told by the news (${id.slice(0, 8)})`,
  };
}

/** A batch of new pages, as `send` takes it. */
export function newPages(): { new: string } {
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

/** Gives a user a list of `itemsOfList` items, those of the first `send` read. */
export async function fillList(service: ServiceAddress, account: Account): Promise<void> {
  const pages = newPages();
  await call(service, "send", { ...account, ...pages });
  await call(service, "send", { ...account, read: pages.new });
  for (let items = itemsOfSend; items < itemsOfList; items += itemsOfSend) {
    await call(service, "send", { ...account, ...newPages() });
  }
}
