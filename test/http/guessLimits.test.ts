import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { clientOf } from "../../src/accounts/clientAddress.ts"
import { limitByEmail, limitsByAddress } from "../../src/http/contract/guessLimits.ts"

const group = fc.integer({ min: 0, max: 0xffff })
const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count })
const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join("."))

type Spelling = {
  readonly isPadded: boolean
  readonly isUpper: boolean
  readonly isDotted: boolean
  readonly gap: number
}
const spelling: fc.Arbitrary<Spelling> = fc.record({
  isPadded: fc.boolean(),
  isUpper: fc.boolean(),
  isDotted: fc.boolean(),
  gap: fc.nat(7),
})

/** Writes an IPv6 address in one of its many spellings: a run of zeros left out at `gap`, the end as IPv4. */
const written = (numbers: ReadonlyArray<number>, { isPadded, isUpper, isDotted, gap }: Spelling): string => {
  const texts = numbers.map((number) => number.toString(16).padStart(isPadded ? 4 : 1, "0"))
  const [seventh = 0, eighth = 0] = numbers.slice(6)
  const dotted = [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join(".")
  const parts = isDotted ? [...texts.slice(0, 6), dotted] : texts
  const isZero = (index: number) => (parts[index] ?? "").includes(".") === false && numbers[index] === 0
  let end = gap
  while (end < parts.length && isZero(end)) end++
  const text = end > gap ? `${parts.slice(0, gap).join(":")}::${parts.slice(end).join(":")}` : parts.join(":")
  return isUpper ? text.toUpperCase() : text
}
/** Mostly zeros, so that there is something to leave out. */
const sparse = (count: number) =>
  fc.array(fc.oneof(fc.constant(0), group), { minLength: count, maxLength: count })
const isMapped = (numbers: ReadonlyArray<number>) =>
  numbers.slice(0, 5).every((number) => number === 0) && numbers[5] === 0xffff

describe("clients that limits count", () => {
  it("a client is its IPv4 address", () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        expect(clientOf(address)).toBe(address)
      }),
    )
  })

  it("an IPv4 address mapped into IPv6 is the same client as the IPv4 address", () => {
    fc.assert(
      fc.property(byte, byte, byte, byte, spelling, (first, second, third, fourth, how) => {
        const mapped = written([0, 0, 0, 0, 0, 0xffff, first * 256 + second, third * 256 + fourth], how)
        expect([mapped, clientOf(mapped)]).toEqual([mapped, [first, second, third, fourth].join(".")])
      }),
    )
  })

  it("all IPv6 addresses of one /64 are one client, in any spelling", () => {
    fc.assert(
      fc.property(sparse(4), sparse(4), sparse(4), spelling, spelling, (net, one, other, how, howElse) => {
        fc.pre(!isMapped([...net, ...one]) && !isMapped([...net, ...other]))
        const [first, second] = [written([...net, ...one], how), written([...net, ...other], howElse)]
        expect([first, second, clientOf(first)]).toEqual([first, second, clientOf(second)])
        expect(clientOf(first)).toBe(net.map((number) => number.toString(16)).join(":"))
      }),
      { numRuns: 500 },
    )
  })

  it("IPv6 addresses of different /64s are different clients", () => {
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), spelling, (net, otherNet, host, how) => {
        fc.pre(net.join() !== otherNet.join())
        expect(clientOf(written([...net, ...host], how))).not.toBe(
          clientOf(written([...otherNet, ...host], how)),
        )
      }),
    )
  })

  it("an unknown address is a client of its own", () => {
    expect(clientOf("")).toBe("")
  })
})

/** The limit of one address alone. */
const limitByAddress = (policy: string, ipAddress: string, perMinute: number, partitions: number) => {
  const [byAddress] = limitsByAddress(policy, ipAddress, perMinute, partitions)
  if (byAddress === undefined) throw new Error("there is no limit")
  return byAddress
}

describe("limits of a network", () => {
  const networkBucket = (ipAddress: string) => limitsByAddress("sign-in", ipAddress, 5, 64)[1]?.bucket

  it("a network's limit counts an IPv6 /48 together, in any spelling, and apart from the next /48", () => {
    fc.assert(
      fc.property(sparse(3), sparse(5), sparse(5), spelling, spelling, (site, one, other, how, howElse) => {
        fc.pre(!isMapped([...site, ...one]) && !isMapped([...site, ...other]))
        const bucket = networkBucket(written([...site, ...one], how))
        expect(networkBucket(written([...site, ...other], howElse))).toEqual(bucket)
        const [first = 0, second = 0, third = 0] = site
        const next = [first, second, third ^ 1, ...other]
        if (!isMapped(next)) expect(networkBucket(written(next, how))?.name).not.toBe(bucket?.name)
      }),
    )
    expect(networkBucket("2001:db8:1::1")?.capacity).toBe(20)
  })

  it("a network's limit counts an IPv4 /24 together, mapped into IPv6 or not", () => {
    const bucket = networkBucket("203.0.113.5")
    expect(bucket?.capacity).toBe(60)
    for (const address of ["203.0.113.255", "::ffff:203.0.113.9"])
      expect(networkBucket(address)).toEqual(bucket)
    for (const address of ["203.0.112.5", "203.1.113.5"]) {
      expect(networkBucket(address)?.name).not.toBe(bucket?.name)
    }
  })
})

describe("limits by e-mail and by address", () => {
  const partitions = 64

  it("a limit by e-mail ignores case, and keeps other addresses and other policies apart", () => {
    const { bucket } = limitByEmail("sign-in", "Ana@Example.com", 5, partitions)
    expect(limitByEmail("sign-in", "ana@example.COM", 5, partitions).bucket).toEqual(bucket)
    expect(limitByEmail("sign-in", "bia@example.com", 5, partitions).bucket.name).not.toBe(bucket.name)
    expect(limitByEmail("reset", "ana@example.com", 5, partitions).bucket.name).not.toBe(bucket.name)
    expect(bucket).toMatchObject({ capacity: 5, windowMillis: 60_000 })
  })

  it("a limit by address counts all addresses of one client together", () => {
    const bucketOf = (address: string) => limitByAddress("reset", address, 10, partitions).bucket
    expect(bucketOf("2001:db8::1")).toEqual(bucketOf("2001:DB8:0:0:9::"))
    expect(bucketOf("::ffff:203.0.113.5")).toEqual(bucketOf("203.0.113.5"))
    expect(bucketOf("203.0.113.6").name).not.toBe(bucketOf("203.0.113.5").name)
  })

  it("clients of unknown address share a limit, which is no address's", () => {
    const bucketsOf = (address: string) =>
      limitsByAddress("sign-in", address, 10, partitions).map(({ bucket }) => bucket.name)
    const [unknown, network] = bucketsOf("")
    fc.assert(
      fc.property(fc.oneof(ipv4, fc.ipV6()), (address) => {
        expect(bucketsOf(address)).not.toContain(unknown)
        expect(bucketsOf(address)).not.toContain(network)
      }),
    )
  })

  it("a limit reveals neither an e-mail address nor a client's, and has a partition that exists", () => {
    const limited = fc.oneof(
      fc.emailAddress().map((email) => [email, limitByEmail("reset", email, 5, 7)] as const),
      ipv4.map((address) => [address, limitByAddress("reset", address, 5, 7)] as const),
      fc.ipV6().map((address) => [address, limitByAddress("reset", address, 5, 7)] as const),
    )
    fc.assert(
      fc.property(limited, ([what, { bucket, message, policy }]) => {
        expect(bucket.name).toMatch(/^reset:[0-9a-f]{64}$/)
        expect([message, policy].join(" ")).not.toContain(what)
        expect(bucket.partition).toBeGreaterThanOrEqual(0)
        expect(bucket.partition).toBeLessThan(7)
        expect(Number.isInteger(bucket.partition)).toBe(true)
      }),
    )
  })

  it("limits by e-mail are spread over all partitions", () => {
    const emails = Array.from({ length: 200 }, (_, i) => `user${i}@example.com`)
    const used = new Set(emails.map((email) => limitByEmail("reset", email, 5, 4).bucket.partition))
    expect([...used].sort()).toEqual([0, 1, 2, 3])
  })
})
