// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";

/** Sends a form to a page of the service that answers JSON. Throws `ApiError`. */
export async function postFields<T>(address: string, fields: Record<string, string>): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  } catch (cause) {
    throw new ApiError("no response", { status: 0, kind: "noResponse", cause });
  }
  if (response.ok) return response.json();
  const message = response.headers.get("x-error") ?? (await response.text());
  const kind = response.status === 401 ? "unauthorized" : response.status < 500 ? "invalid" : "unavailable";
  const code = response.headers.get("x-error-code") ?? undefined;
  const retryAfter = Number(response.headers.get("retry-after")) || undefined;
  throw new ApiError(message, { status: response.status, kind, code, retryAfter });
}
