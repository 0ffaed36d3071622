/** Where a service is, and the key to call it with. */
export interface ServiceAddress {
  baseUrl: string;
  apiKey: string;
}

export interface Account {
  username: string;
  password: string;
}

export type Parameters = Record<string, string>;

/** Where a call is made. */
export const urlOf = (baseUrl: string, endpoint: string) => `${baseUrl}/v2/${endpoint}`;

/** The body of a call: a form with the API key. */
export const formOf = (apiKey: string, parameters: Parameters) =>
  new URLSearchParams({ apikey: apiKey, ...parameters }).toString();

/** Calls an endpoint by POST and gives the body of the answer. Throws an error unless its status is 200. */
export async function call(service: ServiceAddress, endpoint: string, parameters: Parameters = {}): Promise<string> {
  const response = await fetch(urlOf(service.baseUrl, endpoint), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: formOf(service.apiKey, parameters),
  });
  if (response.status !== 200) throw new Error(`${endpoint}: ${response.status} ${response.headers.get("x-error")}`);
  return response.text();
}
