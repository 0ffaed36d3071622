import { ServiceError } from "@reading-list/core/errors.ts";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/** Why a command could not do what it was asked, in one line that says what to do (exit code 1). */
export class CommandFailure extends Error {}

/** Why a command cannot be asked that way (exit code 2). */
export class UsageFailure extends Error {}

/** What the database was asked through, for those who read that it did not answer. */
export interface Place {
  /** Of the table where it is known: `table reading-list of DATA_DIR .local`. */
  description: string;
  /** What to do where the table is not there. */
  remedy: string;
}

const credentials =
  "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, to an account that may use the table";

/** Names of the errors with which AWS refuses credentials. */
const refusedCredentials = [
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "IncompleteSignatureException",
  "MissingAuthenticationTokenException",
  "InvalidClientTokenId",
];
const expiredCredentials = ["ExpiredTokenException", "ExpiredToken", "RequestExpired"];
const silence = ["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

/** An error in one line for the person at the terminal; undefined for one that nobody foresaw. */
export function explain(error: unknown, place: Place): string | undefined {
  if (error instanceof CommandFailure || error instanceof UsageFailure) return error.message;
  if (error instanceof SetupError || error instanceof ServiceError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (error.name === "ResourceNotFoundException") return `there is no ${place.description}; ${place.remedy}`;
  if (error.name === "CredentialsProviderError") return `no AWS credentials were found; ${credentials}`;
  if (refusedCredentials.includes(error.name)) return `AWS does not know these credentials; ${credentials}`;
  if (expiredCredentials.includes(error.name)) return "the AWS credentials have expired; log in again";
  if (error.name === "AccessDeniedException") {
    return `the AWS credentials may not do this on the ${place.description}; run readinglist doctor to see what is missing`;
  }
  if (/region (is missing|not accepted)/i.test(error.message))
    return "no AWS region is set; set AWS_REGION to the region of the stage";
  if (error.name === "TimeoutError" || silence.includes(code)) {
    return `the database does not answer (${place.description}); check its address and the network`;
  }
  return undefined;
}
