// SPDX-License-Identifier: MIT

import type { EndpointContract } from "../contract/endpoint.ts";
import type { ArticleStore } from "../ports/articles.ts";
import type { Dependencies } from "../ports/dependencies.ts";
import type { HighlightStore } from "../ports/highlights.ts";
import type { ItemStore, TrashStore } from "../ports/items.ts";
import type { UserStore } from "../ports/users.ts";
import type { ServiceSettings } from "../service-settings.ts";

/** The ports that every function has. */
type CommonPorts = ServiceSettings &
  Pick<Dependencies, "clock" | "apiKeys" | "isDiskFull" | "erasePermit" | "articleWaitMs" | "unreadablePages">;

/** The ports of functions that keep pictures and show their addresses. */
type AddressedPictures = Pick<Dependencies, "pictures" | "pictureStore" | "pictureWaitMs" | "signatureKey" | "textUrl">;

/**
 * The ports that a function has by the fields of its contract. `stacks/functions.ts` grants the rights of each port by
 * the same fields, and `stacks/handlers.ts` passes the large ones.
 */
interface PortsByField {
  caller: {
    application: unknown;
    user: Pick<Dependencies, "passwords">;
    "new-user": Pick<Dependencies, "passwords" | "administration" | "operatorCode"> & {
      users: Pick<UserStore, "find" | "create">;
    };
  };
  host: {
    main: unknown;
    text: Pick<Dependencies, "reader">;
  };
  list: {
    read: { items: Pick<ItemStore, "list"> };
    readWhole: { items: Pick<ItemStore, "find"> } & Pick<Dependencies, "wholeLists" | "listSearch">;
    add: { items: Pick<ItemStore, "find" | "write"> };
    change: { items: Pick<ItemStore, "find" | "write"> };
    trash: { trash: Pick<TrashStore, "walk" | "erase">; items: Pick<ItemStore, "find"> } & Pick<
      Dependencies,
      "highlights"
    >;
    highlights: { items: Pick<ItemStore, "find"> } & Pick<Dependencies, "highlights">;
    search: Pick<Dependencies, "items" | "highlights" | "listIndexer" | "searchIndex">;
    kept: { items: Pick<ItemStore, "find"> } & Pick<Dependencies, "keptPages">;
    share: { items: Pick<ItemStore, "find"> } & Pick<Dependencies, "shares" | "textUrlFor">;
    readAndChange: Pick<Dependencies, "items" | "wholeLists" | "snapshots" | "highlights" | "listSearch">;
  };
  articles: {
    keep: Pick<Dependencies, "reader"> & {
      articles: Pick<ArticleStore, "find" | "keep" | "sizes" | "delete">;
      items: Pick<ItemStore, "find">;
      trash: Pick<TrashStore, "walk">;
    };
    read: { articles: Pick<ArticleStore, "find"> };
    delete: { articles: Pick<ArticleStore, "delete"> };
    deleteAll: { articles: Pick<ArticleStore, "deleteAll"> };
  };
  pictures: {
    keep: AddressedPictures;
    address: AddressedPictures;
    show: Pick<Dependencies, "pictures" | "pictureStore">;
    count: Pick<Dependencies, "pictureStore">;
  };
  highlights: {
    read: { highlights: Pick<HighlightStore, "walkItem"> };
  };
  account: {
    signIns: Pick<Dependencies, "signIns">;
    password: { users: Pick<UserStore, "changePassword"> };
    deletion: Pick<Dependencies, "deletion">;
  };
}

type PortsBy<Field extends keyof PortsByField, C> =
  C extends Record<Field, infer Use extends keyof PortsByField[Field]> ? PortsByField[Field][Use] : unknown;

/** The ports that the function of a contract has: a use case that needs another one does not compile. */
export type GrantedPorts<C extends Partial<EndpointContract>> = CommonPorts &
  PortsBy<"caller", C> &
  // Endpoints of the text host that do not show a list read pages.
  (C extends { list: string } ? unknown : PortsBy<"host", C>) &
  PortsBy<"list", C> &
  PortsBy<"articles", C> &
  PortsBy<"pictures", C> &
  PortsBy<"highlights", C> &
  PortsBy<"account", C> &
  (C extends { counted: true } ? Pick<Dependencies, "keyWindows"> : unknown);
