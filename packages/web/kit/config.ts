// SPDX-License-Identifier: MIT

/** `config.json` beside the page: the settings of a deployment. */
export interface ReaderConfig {
  /** Address of the main service, absolute or relative to the page. */
  baseUrl: string;
  textUrl: string;
  apiKey: string;
  isSignupOpen: boolean;
  /** Single sign-on, and whether users can sign in only by it; absent without single sign-on. */
  signOn?: { name: string; isOnly: boolean };
  /** Users with a flag administer the service; absent on a stage and on an older service. */
  hasOperators?: boolean;
  /** Users can have passkeys; absent on an older service. */
  hasPasskeys?: boolean;
  /** Users can share articles and tags; absent on an older service. */
  canShare?: boolean;
  /** Articles can be mailed to e-readers; absent on a stage and on an older service. */
  sendsMail?: boolean;
  /** The service serves its API reference below `baseUrl`; absent on a stage and on an older service. */
  hasReference?: boolean;
  /** There is no user yet: the first user, who enters the code from the log, becomes an administrator. */
  isFirstRun?: boolean;
  /** What to do if one forgot the password, in the operator's words; absent on an older service. */
  helpText?: string;
}
