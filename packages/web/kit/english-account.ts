// SPDX-License-Identifier: MIT

/** The texts of the page to sign in, and of forms with passwords. */
export const englishAccount = {
  signIn: "Sign in",
  signUp: "Create account",
  toSignUp: "New here? Create an account",
  toSignIn: "Have an account? Sign in",
  username: "Username",
  usernameRule: "1 to 20 characters: a-z, 0-9, - and _",
  password: "Password",
  stay: "Stay signed in",
  stayExplained:
    "Stores a password of its own and your list in this browser, until you sign out: it opens offline. Without it, you are signed out when you close this tab. Leave it off on a computer that others use.",
  forgotten: "Forgot the password?",
  invitation: "You are invited",
  invitationHint: "Choose a username and a password. The link works once.",
  code: "The first account",
  codeHint:
    "This service has no operator yet. Who has the code that its log shows creates the account that administers it.",
  codeName: "Code of the log",
  withoutCode: "Create an account without the code",
  reset: "A new password",
  resetHint: "Choose a new password. The link works once.",
  saveReset: "Save the password",
  signedIn: (username: string) => `${username} is signed in here. Sign out first to use this link.`,
  withPasskey: "Sign in with password and passkey",
  signOn: (name: string) => `Sign in with ${name}`,
  signOff: (name: string) => `Sign out at ${name}`,
  ignore: "Go to the list",
  signOut: "Sign out",
  offline: "The service cannot be reached. Check the connection, then try again.",
  wait: "One moment…",
};
