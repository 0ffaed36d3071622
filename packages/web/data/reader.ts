// SPDX-License-Identifier: MIT

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ReaderConfig } from "../kit/config.ts";
import type { Notices } from "../kit/notices.tsx";
import type { Observable } from "../kit/observable.ts";
import type { Route } from "../kit/router.ts";
import type { Settings } from "../kit/settings.ts";
import type { Account } from "./account.ts";

/** The shared objects that many components use. */
export interface Reader {
  config: ReaderConfig;
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
