// SPDX-License-Identifier: MIT

import { ApiError } from "@reading-list/client/main.ts";
import { ServiceError, SetupError } from "@reading-list/core/errors.ts";

/** Why a command failed, in one line that says what to do (exit code 1). */
export class CommandError extends Error {}

/** Why a command line is wrong (exit code 2). */
export class UsageError extends Error {}

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: "the file or folder does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** Reasons by SQLite's primary result codes: the low byte of `errcode`. */
const databaseErrors: Readonly<Record<number, string>> = {
  10: "the disk is full or damaged",
  13: "the disk is full",
};

/** An error of the file system, or of SQLite's writes, as a failure that names the file; any other error unchanged. */
export function toFileFailure(name: string, error: unknown, action: "read" | "written" = "written"): unknown {
  const { code = "", errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  const reason = fileErrors[code] ?? databaseErrors[errcode & 0xff];
  return reason === undefined ? error : new CommandError(`${name} cannot be ${action}: ${reason}`);
}

/** The database of a command, for error messages. */
export interface Place {
  /** Such as `table reading-list in /srv/data`. */
  description: string;
  /** The advice if the table does not exist. */
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
  if (error instanceof ServiceError && error.kind === "diskFull") {
    return `the disk is full, so nothing can be added (${place.description}). Free space, or lower DISK_RESERVE_MB, then run the command again to continue`;
  }
  if (error instanceof SetupError || error instanceof ServiceError || error instanceof ApiError) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ERR_SQLITE_ERROR") {
    return `the ${place.description} cannot be read (${error.message}); run readinglist doctor to check it for damage`;
  }
  if (error.name === "ResourceNotFoundException") return `${place.description} does not exist; ${place.remedy}`;
  if (error.name === "CredentialsProviderError") return `no AWS credentials were found; ${credentials}`;
  if (refusedCredentials.includes(error.name)) return `AWS does not accept these credentials; ${credentials}`;
  if (expiredCredentials.includes(error.name)) return "the AWS credentials have expired; renew them";
  if (error.name === "AccessDeniedException") {
    // AWS names the refused action, and the policy that lacks it.
    return `the AWS credentials do not allow this on the ${place.description}: ${error.message}`;
  }
  if (/region (is missing|not accepted)/i.test(error.message))
    return "no AWS region is set; set AWS_REGION to the region of the stage";
  if (["TimeoutError", "AbortError"].includes(error.name) || connectionErrors.includes(code)) {
    return `the database does not answer (${place.description}); check its address and the network`;
  }
  // The SDK could not read the answer: it comes from another server, or from a proxy that redirects.
  if (error.name === "UnknownError" || "$response" in error) {
    return `the answer does not come from DynamoDB (${place.description}); check its address`;
  }
  return undefined;
}
