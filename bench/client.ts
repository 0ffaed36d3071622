/** Where a service is, and the key to call it with. */
export interface ServiceAddress {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
}

export interface Account {
  username: string;
  password: string;
}

export type Parameters = Record<string, string>;

/** Where a call is made. */
export const urlOf = ({ baseUrl, textUrl }: ServiceAddress, endpoint: string) =>
  `${endpoint === "text" ? textUrl : baseUrl}/v2/${endpoint}`;

/** The body of a call: a form with the API key. */
export const formOf = (apiKey: string, parameters: Parameters) =>
  new URLSearchParams({ apikey: apiKey, ...parameters }).toString();

/**
 * Calls an endpoint by POST, as a client that takes compressed answers, and gives the body. Throws an error unless the
 * status is 200.
 */
export async function call(service: ServiceAddress, endpoint: string, parameters: Parameters = {}): Promise<string> {
  const response = await fetch(urlOf(service, endpoint), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "accept-encoding": "br, gzip" },
    body: formOf(service.apiKey, parameters),
  });
  if (response.status !== 200) throw new Error(`${endpoint}: ${response.status} ${response.headers.get("x-error")}`);
  return response.text();
}

/** The number of items in the body of a `get`. */
export const itemsIn = (body: string) => body.split('"item_id"').length - 1;
