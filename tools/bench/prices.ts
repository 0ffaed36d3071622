// SPDX-License-Identifier: MIT

/** US dollars, list prices of us-east-1 without free tier, as of November 2026. */
export const prices = {
  perMillionReadUnits: 0.125,
  perMillionWriteUnits: 0.625,
  perMillionHttpApiCalls: 1,
  perMillionInvocations: 0.2,
  perArmGigabyteSecond: 0.0000133334,
  perGigabyteOfLogs: 0.5,
  perGigabyteSent: 0.09,
  perArmProcessorHour: 0.03238,
  perContainerGigabyteHour: 0.00356,
  perBalancerUnitHour: 0.006,
  perMillionObjectsRead: 0.4,
  perMillionObjectsWritten: 5,
  perGigabyteMonthOfObjects: 0.023,
  perGigabyteMonthOfTable: 0.25,
};

/** Dollars of the database for a million calls with these units each. */
export const databaseDollars = (readUnits: number, writeUnits: number) =>
  readUnits * prices.perMillionReadUnits + writeUnits * prices.perMillionWriteUnits;

/** An amount as printed in a table. */
export const dollars = (amount: number) => amount.toFixed(2);
