// SPDX-License-Identifier: MIT

/** The route of kept pictures, on the text host: whoever has an address may read it, without a key (docs/api.md 4.9). */
export const picture = { name: "picture", host: "text", path: "/v2/picture", methods: ["GET", "HEAD"] } as const;

/** The route of shared articles and tags, on the text host, without a key (docs/api.md 4.17). */
export const shared = { name: "shared", host: "text", path: "/s/{proxy+}", methods: ["GET", "HEAD"] } as const;
