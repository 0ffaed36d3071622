// SPDX-License-Identifier: MIT

import type { LookupAddress } from "node:dns";
import { assertFetchable, guardedLookup, isPublicAddress } from "@reading-list/article/fetch/address-guard.ts";
import { describe, expect, test } from "vitest";

const isRefused = (url: string) => {
  try {
    assertFetchable(new URL(url));
    return false;
  } catch {
    return true;
  }
};

describe("a URL with an IP address is refused unless the address is public", () => {
  test.each([
    ["loopback", "http://127.0.0.1/"],
    ["loopback, decimal", "http://2130706433/"],
    ["loopback, octal", "http://0177.0.0.1/"],
    ["loopback, hexadecimal", "http://0x7f000001/"],
    ["loopback, short", "http://127.1/"],
    ["loopback, in full-width digits", "http://１２７.0.0.1/"],
    ["loopback, percent-encoded", "http://%31%32%37.0.0.1/"],
    ["loopback with a trailing dot", "http://127.0.0.1./"],
    ["this network", "http://0.0.0.0/"],
    ["zero", "http://0/"],
    ["private, 10/8", "http://10.1.2.3/"],
    ["private, 172.16/12", "http://172.31.255.255/"],
    ["private, 192.168/16", "http://192.168.0.1/"],
    ["CGNAT", "http://100.64.0.1/"],
    ["metadata of AWS, Google Cloud, Azure", "http://169.254.169.254/latest/meta-data/"],
    ["metadata, decimal", "http://2852039166/"],
    ["metadata of Alibaba Cloud", "http://100.100.100.200/"],
    ["metadata of Azure's wire server", "http://168.63.129.16/"],
    ["protocol assignments", "http://192.0.0.192/"],
    ["documentation", "http://203.0.113.5/"],
    ["benchmarking", "http://198.18.0.1/"],
    ["6to4 relay", "http://192.88.99.1/"],
    ["multicast", "http://224.0.0.1/"],
    ["reserved", "http://240.0.0.1/"],
    ["broadcast", "http://255.255.255.255/"],
    ["IPv6 loopback", "http://[::1]/"],
    ["IPv6 unspecified", "http://[::]/"],
    ["IPv4-mapped", "http://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped, hexadecimal", "http://[::ffff:a9fe:a9fe]/"],
    ["IPv4-compatible", "http://[::127.0.0.1]/"],
    ["IPv4-translated", "http://[::ffff:0:127.0.0.1]/"],
    ["NAT64", "http://[64:ff9b::7f00:1]/"],
    ["local NAT64", "http://[64:ff9b:1::7f00:1]/"],
    ["6to4", "http://[2002:7f00:1::]/"],
    ["Teredo", "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/"],
    ["unique local", "http://[fd00:ec2::254]/"],
    ["link-local", "http://[fe80::1]/"],
    ["site-local", "http://[fec0::1]/"],
    ["IPv6 multicast", "http://[ff02::1]/"],
    ["IPv6 documentation", "http://[2001:db8::1]/"],
    ["IPv6 documentation of RFC 9637", "http://[3fff::1]/"],
    ["discard", "http://[100::1]/"],
    ["segment routing", "http://[5f00::1]/"],
  ])("%s", (_name, url) => {
    expect(isRefused(url)).toBe(true);
  });

  test.each([
    "http://93.184.215.14/",
    "https://[2606:4700::6810:84e5]/",
    "http://[::ffff:93.184.215.14]/",
    "http://8.8.8.8/",
  ])("%s is public", (url) => {
    expect(isRefused(url)).toBe(false);
  });
});

test("addresses with a zone and invalid addresses are not public", () => {
  expect(isPublicAddress("fe80::1%eth0")).toBe(false);
  expect(isPublicAddress("not an address")).toBe(false);
  expect(isPublicAddress("")).toBe(false);
});

describe("names that are only valid inside a network are refused without a lookup", () => {
  test.each([
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://metadata.google.internal/",
    "http://printer.local/",
  ])("%s", (url) => {
    expect(isRefused(url)).toBe(true);
  });
});

describe("only the ports 80, 443 and from 1024 are fetched", () => {
  test.each([22, 25, 81, 444, 1023])("port %d is refused", (port) => {
    expect(isRefused(`http://example.com:${port}/`)).toBe(true);
  });
  test.each([80, 443, 1024, 8080, 65535])("port %d is fetched", (port) => {
    expect(isRefused(`http://example.com:${port}/`)).toBe(false);
  });
});

describe("the lookup of a socket", () => {
  const lookUp = (answers: LookupAddress[], all: boolean) =>
    new Promise((resolve, reject) => {
      guardedLookup(async () => answers)("example.com", { all }, (error, address) =>
        error ? reject(error) : resolve(address),
      );
    });
  const publicAnswer = { address: "93.184.215.14", family: 4 };

  test("returns the addresses that were checked", async () => {
    expect(await lookUp([publicAnswer], true)).toEqual([publicAnswer]);
    expect(await lookUp([publicAnswer], false)).toBe(publicAnswer.address);
  });

  test("refuses a name if one of its addresses is not public", async () => {
    await expect(lookUp([publicAnswer, { address: "10.0.0.1", family: 4 }], true)).rejects.toThrow("not public");
    await expect(lookUp([publicAnswer, { address: "::ffff:10.0.0.1", family: 6 }], true)).rejects.toThrow("not public");
  });

  test("refuses a name without addresses", async () => {
    await expect(lookUp([], true)).rejects.toThrow("not found");
  });
});
