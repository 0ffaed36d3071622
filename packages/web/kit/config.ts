/** `config.json` beside the page (packages/web/web-application.ts). */
export interface Config {
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  isSignupOpen: boolean;
}

export async function loadConfig(): Promise<Config> {
  const response = await fetch("config.json");
  const { baseUrl, ...config } = (await response.json()) as Config;
  return { ...config, baseUrl: new URL(baseUrl, location.href).href };
}
