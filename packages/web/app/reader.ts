import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Account } from "../account/account.ts";
import type { Config } from "./config.ts";
import type { Notices } from "./notices.tsx";
import type { Observable } from "./observable.ts";
import type { Route } from "./router.ts";
import type { Settings } from "./settings.ts";

/** What there is once, and many components use. */
export interface Reader {
  config: Config;
  settings: Observable<Settings>;
  route: Observable<Route>;
  account: Account;
  notices: Notices;
}

export const ReaderContext = createContext<Reader | undefined>(undefined);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (!reader) throw new TypeError("no ReaderContext");
  return reader;
}
