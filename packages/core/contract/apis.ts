// SPDX-License-Identifier: MIT

import type { EndpointContract } from "./endpoint.ts";

/** An API of another service, served below `/<name>` of the main host by one function, for that service's clients. */
export interface ApiContract extends Pick<EndpointContract, "host"> {
  name: string;
  /** The path below which it is served, if that is not its name. */
  path?: string;
  caller: "user";
  counted: true;
  list?: "readWhole" | "readAndChange";
  /** It deletes no item. */
  deletesNothing?: true;
  articles?: "keep";
  /**
   * `show`: its books and articles have kept pictures. `address`: it keeps pictures, and shows their addresses on the text
   * host.
   */
  pictures?: "address" | "show" | "delete";
  /** It takes no passwords, but secrets that nobody guesses: wrong ones are not counted. */
  onlySecrets?: true;
  /** It signs apps in. */
  account?: "signIns";
  /** It finds users by their identities at a provider of single sign-on, and makes them. */
  identities?: true;
  /** It adds, checks and removes the passkeys of users. */
  passkeys?: true;
  /** It shows the highlights of an item; `list` lets it change them. */
  highlights?: "read";
  /** It is an authorization server of OAuth: apps find it by RFC 8414. */
  oauth?: true;
  /** The API whose tokens, and no passwords, it takes: apps find that by RFC 9728. */
  authorizedBy?: "readeck";
}

const ofUsers = { caller: "user", counted: true, host: "main" } as const;
const ofApps = { ...ofUsers, list: "readAndChange", articles: "keep", account: "signIns" } as const;

/** THE list of the APIs of other services (docs/apps.md). */
export const apis = [
  { name: "feeds", ...ofUsers, list: "readWhole" },
  {
    name: "greader",
    ...ofUsers,
    list: "readAndChange",
    deletesNothing: true,
    articles: "keep",
    pictures: "address",
  },
  { name: "kobo", ...ofApps, pictures: "show" },
  {
    name: "linkding",
    ...ofUsers,
    list: "readAndChange",
    articles: "keep",
    pictures: "delete",
    highlights: "read",
    onlySecrets: true,
  },
  {
    name: "mcp",
    ...ofUsers,
    list: "readAndChange",
    articles: "keep",
    pictures: "delete",
    highlights: "read",
    onlySecrets: true,
    authorizedBy: "readeck",
  },
  { name: "opds", ...ofUsers, list: "readWhole", articles: "keep", pictures: "show", highlights: "read" },
  { name: "readeck", ...ofApps, pictures: "show", highlights: "read", oauth: true },
  { name: "wallabag", ...ofApps, pictures: "show", highlights: "read" },
] as const satisfies ApiContract[];

/** Single sign-on of the web reader, in services that have a provider. Its paths are below the paths of the reader. */
export const signOn = {
  name: "oidc",
  path: "app/oidc",
  ...ofUsers,
  account: "signIns",
  identities: true,
} as const satisfies ApiContract;

/** Passkeys of the web reader, in services with a reader whose users have passwords. */
export const passkeySignIn = {
  name: "passkeys",
  path: "app/passkeys",
  ...ofUsers,
  account: "signIns",
  passkeys: true,
} as const satisfies ApiContract;

/** The contract of an API. */
export type ApiOf<Name extends (typeof apis)[number]["name"]> = Extract<(typeof apis)[number], { name: Name }>;

export const findApi = <Name extends (typeof apis)[number]["name"]>(name: Name) =>
  apis.find((api) => api.name === name) as ApiOf<Name>;

/** The path of the metadata of an authorization server, whose issuer is the address of the API (RFC 8414, 3.1). */
export const metadataPath = ({ name }: Pick<ApiContract, "name">) => `/.well-known/oauth-authorization-server/${name}`;

/** The path of the metadata of a protected resource, which is the address of the API (RFC 9728, 3.1). */
export const resourcePath = ({ name }: Pick<ApiContract, "name">) => `/.well-known/oauth-protected-resource/${name}`;

/** Where the metadata of the protected resource at `address` are: the path of a service below a folder comes last. */
export function resourceMetadataUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${resourcePath({ name: pathname.slice(1) })}`;
}

/** The APIs that the authorization server issues tokens for. */
export const audiences = apis.filter((api) => "oauth" in api || "authorizedBy" in api).map(({ name }) => name);

/** The resource of an API (RFC 8707): its address. `address` is the address of another API of this service. */
export const toResource = (audience: string, address: string): string => new URL(audience, address).href;

/**
 * The API that an app names by its resource, by default the API of the authorization server at `address`; undefined if
 * the resource does not belong to this service, because its site would then get a token of this service.
 */
export function findAudience({
  resource,
  address,
}: {
  resource?: string | undefined;
  address: string;
}): string | undefined {
  if (resource === undefined) return "readeck";
  const named = URL.parse(resource)?.href.replace(/\/$/, "");
  return audiences.find((audience) => toResource(audience, address) === named);
}

/** The path below which an API is served, such as `/readeck`. */
export const toApiFolder = ({ name, path = name }: Pick<ApiContract, "name" | "path">): string => `/${path}`;

/** The paths that an API serves, as patterns of API Gateway, by a name for each. */
export const listApiPaths = (api: ApiContract): Record<string, string> => ({
  [api.name]: toApiFolder(api),
  [`${api.name}-paths`]: `${toApiFolder(api)}/{proxy+}`,
  ...(api.oauth && { [`${api.name}-metadata`]: metadataPath(api) }),
  ...(api.authorizedBy && { [`${api.name}-resource`]: resourcePath(api) }),
});
