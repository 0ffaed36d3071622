// SPDX-License-Identifier: MIT

/** The route of shared articles and tags, on the text host, without a key (docs/api.md 4.17). */
export const shared = { name: "shared", host: "text", path: "/s/{proxy+}", methods: ["GET", "HEAD"] } as const;
