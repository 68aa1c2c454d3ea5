import { describe, expect, it } from "vitest"
import { addressTest, readAddressRange } from "../../../src/accounts/apiKeys/allowedAddresses.ts"

describe("the addresses of an API key", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["203.0.113.7/32", "203.0.113.7/32"],
    ["10.1.2.3/8", "10.1.2.3/8"],
    ["::1", "::1"],
    ["::/0", "::/0"],
    ["2001:DB8::7/128", "2001:db8::7/128"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["::ffff:203.0.113.0/120", "203.0.113.0/24"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:203.0.113.7/128", "203.0.113.7/32"],
  ])("%s is kept as %s", (text, kept) => {
    expect(readAddressRange(text)).toBe(kept)
  })

  it.each([
    "",
    " 203.0.113.7",
    "203.0.113",
    "203.0.113.256",
    "203.0.113.07",
    "203.0.113.7:443",
    "203.0.113.7/33",
    "203.0.113.7/-1",
    "203.0.113.7/",
    "203.0.113.7/08",
    "203.0.113.7/8/8",
    "203.0.113.7/1.5",
    "203.0.113.0/255.255.255.0",
    "2001:db8::/129",
    "2001:db8::g",
    "[2001:db8::7]",
    "fe80::1%eth0",
    "::ffff:203.0.113.7/95",
    "example.com",
    "*",
  ])("%j is no address and no range", (text) => {
    expect(readAddressRange(text)).toBeUndefined()
  })

  it.each<readonly [range: string, inside: ReadonlyArray<string>, outside: ReadonlyArray<string>]>([
    ["203.0.113.7", ["203.0.113.7", "::ffff:203.0.113.7"], ["203.0.113.8", "2001:db8::7", ""]],
    ["203.0.113.7/32", ["203.0.113.7"], ["203.0.113.6"]],
    ["203.0.113.0/24", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
    ["10.1.2.3/8", ["10.0.0.0", "10.255.255.255"], ["11.0.0.0", "9.255.255.255"]],
    ["0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::1", "2001:db8::7", "", "unknown"]],
    ["2001:db8::/32", ["2001:db8::", "2001:db8:ffff:0:0:0:0:1"], ["2001:db9::", "203.0.113.7"]],
    ["2001:db8::8/125", ["2001:db8::8", "2001:db8::f"], ["2001:db8::7", "2001:db8::10"]],
    ["2001:db8::7/128", ["2001:db8:0:0:0:0:0:7"], ["2001:db8::8"]],
    ["::/0", ["::1", "2001:db8::7"], ["203.0.113.7", "::ffff:203.0.113.7", ""]],
  ])("%s holds its own addresses and no others", (range, inside, outside) => {
    const isAllowed = addressTest([range])
    expect(inside.filter((address) => isAllowed?.(address) !== true)).toEqual([])
    expect(outside.filter((address) => isAllowed?.(address) !== false)).toEqual([])
  })

  it("several ranges allow what any of them holds, and none allow everything", () => {
    const isAllowed = addressTest(["203.0.113.7", "2001:db8::/32"])
    const addresses = ["203.0.113.7", "2001:db8::1", "203.0.113.8", "::1"]
    expect(addresses.map((address) => isAllowed?.(address))).toEqual([true, true, false, false])
    expect(addressTest([])).toBeUndefined()
  })
})
