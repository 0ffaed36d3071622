import { Logger } from "@aws-lambda-powertools/logger";

/** The service's structured log, a JSON line an entry on standard output. */
export const createLogger = () => new Logger({ serviceName: "reading-list" });
