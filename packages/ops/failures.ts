import { ApiError } from "@reading-list/client/main.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/** Why a command failed, in one line that says what to do (exit code 1). */
export class CommandError extends Error {}

/** Why a command line is wrong (exit code 2). */
export class UsageError extends Error {}

/** An error of the file system as a failure that names the file; any other error as it is. */
export function fileFailure(name: string, error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  const isOfFiles = ["ENOENT", "EACCES", "EISDIR", "ENOTDIR", "EROFS", "ENOSPC", "EPERM"].includes(code);
  return isOfFiles ? new CommandError(`${name} cannot be written (${code}); name another file`) : error;
}

/** The database of a command, for error messages. */
export interface Place {
  /** Such as `table reading-list in /srv/data`. */
  description: string;
  /** What to do if the table does not exist. */
  remedy: string;
  /** The deployed stage; absent for a database at an address or in a folder. */
  stage?: string;
}

const credentials =
  "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, to an account that may use the table";

/** Names of the errors by which AWS refuses credentials. */
const refusedCredentials = [
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "IncompleteSignatureException",
  "MissingAuthenticationTokenException",
  "InvalidClientTokenId",
];
const expiredCredentials = ["ExpiredTokenException", "ExpiredToken", "RequestExpired"];
const connectionErrors = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

/** An error in one line for the operator; undefined for an unexpected error. */
export function explain(error: unknown, place: Place): string | undefined {
  if (error instanceof CommandError || error instanceof UsageError) return error.message;
  if (error instanceof SetupError || error instanceof ServiceError || error instanceof ApiError) return error.message;
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
  if (error.name === "TimeoutError" || connectionErrors.includes(code)) {
    return `the database does not answer (${place.description}); check its address and the network`;
  }
  return undefined;
}
