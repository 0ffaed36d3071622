import { ServiceError } from "../errors.ts";
import type { Application, Dependencies } from "../ports.ts";

/** The application of an API key (spec section 5.1). Throws `unauthorized` for an unknown key. */
export async function identifyApplication(deps: Dependencies, apiKey: string): Promise<Application> {
  const application = await deps.apiKeys.find(apiKey);
  if (!application) throw new ServiceError("unauthorized", "apikey is not known");
  return application;
}
