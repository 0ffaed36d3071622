// SPDX-License-Identifier: MIT

/** Whether a host name as URL parsers write it is this machine. */
export const isLoopback = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
