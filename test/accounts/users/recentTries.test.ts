import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import { strangerAsker, strangerRanks } from "../../../src/accounts/users/fairWaitingRoom.ts"
import {
  afterRight,
  afterTry,
  afterWrong,
  noTries,
  RecentTries,
  rankOfTries,
  type Tries,
} from "../../../src/accounts/users/recentTries.ts"

const tenMinutes = limits.triesCountedMillis
const networkOf = (ipAddress: string) => {
  const asker = strangerAsker(ipAddress)
  return asker.isKnown ? undefined : asker.network
}

/** What a network did: tries that stay without an answer, or that end at once. */
type Act = { readonly kind: "unanswered" | "right" | "wrong"; readonly atMillis: number }
const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("unanswered" as const, "right" as const, "wrong" as const),
      atMillis: fc.nat(3 * tenMinutes),
    }),
    { maxLength: 40 },
  )
  .map((list) => list.toSorted((one, other) => one.atMillis - other.atMillis))
const triesAfter = (done: ReadonlyArray<Act>): Tries =>
  done.reduce<Tries>((tries, { kind, atMillis }) => {
    const tried = afterTry(tries, atMillis)
    if (kind === "right") return afterRight(tried, atMillis)
    return kind === "wrong" ? afterWrong(tried, atMillis) : tried
  }, noTries)

describe("a network's recent tries", () => {
  it("a network without a try in ten minutes tries for the first time", () => {
    expect(rankOfTries(noTries, 0)).toBe("first")
    const tried = afterTry(noTries, 1_000)
    expect(rankOfTries(tried, 1_000 + tenMinutes - 1)).toBe("again")
    expect(rankOfTries(tried, 1_000 + tenMinutes)).toBe("first")
  })

  it("a wrong password counts for ten minutes, and not one millisecond longer", () => {
    const wrong = afterWrong(afterTry(noTries, 1_000), 2_000)
    expect(rankOfTries(wrong, 2_000 + tenMinutes - 1)).toBe("wrong")
    expect(rankOfTries(wrong, 2_000 + tenMinutes)).toBe("first")
  })

  it("after a wrong password, eight tries in ten minutes are often, and seven are not", () => {
    let tries = afterWrong(noTries, 0)
    for (let i = 0; i < 7; i++) tries = afterTry(tries, i * 1_000)
    expect(rankOfTries(tries, 10_000)).toBe("wrong")
    tries = afterTry(tries, 7_000)
    expect(rankOfTries(tries, 10_000)).toBe("often")
    // By then the first of the eight is ten minutes old.
    expect(rankOfTries(afterWrong(tries, 8_000), tenMinutes)).toBe("wrong")
  })

  it("a right password does not count as a try, and does not excuse a wrong one", () => {
    expect(rankOfTries(afterRight(afterTry(noTries, 5), 5), 6)).toBe("first")
    expect(rankOfTries(afterRight(afterTry(afterWrong(noTries, 4), 5), 5), 6)).toBe("wrong")
  })

  it("only the last ten minutes decide, and few tries are kept, whatever a network did", () => {
    fc.assert(
      fc.property(acts, (done) => {
        const nowMillis = 3 * tenMinutes
        const recent = done.filter(({ atMillis }) => nowMillis - atMillis < tenMinutes)
        const tries = triesAfter(done)
        const asked = recent.filter(({ kind }) => kind !== "right").length
        const isWrong = recent.some(({ kind }) => kind === "wrong")
        const rank = rankOfTries(tries, nowMillis)
        expect(rank === "wrong" || rank === "often").toBe(isWrong)
        if (!isWrong) expect(rank).toBe(asked === 0 ? "first" : "again")
        expect(rank === "often").toBe(isWrong && asked >= limits.triesOften)
        expect(tries.askedAtMillis.length).toBeLessThanOrEqual(limits.triesOften)
      }),
    )
  })

  it("one more wrong try never betters a network's rank", () => {
    fc.assert(
      fc.property(acts, (done) => {
        const nowMillis = 3 * tenMinutes
        const tries = triesAfter(done)
        const worse = afterWrong(afterTry(tries, nowMillis), nowMillis)
        const placeOf = (one: Tries) => strangerRanks.indexOf(rankOfTries(one, nowMillis))
        expect(placeOf(worse)).toBeGreaterThanOrEqual(placeOf(tries))
      }),
    )
  })
})

describe("the table of recent tries", () => {
  it("the table of tries holds as many networks as it may, and forgets the one that asked longest ago", () => {
    const tries = new RecentTries(3)
    for (const name of ["a", "b", "c"]) expect(tries.tried(name, 0)).toBe("first")
    expect(tries.tried("a", 1)).toBe("again")
    expect(tries.size).toBe(3)
    expect(tries.tried("d", 2)).toBe("first")
    expect(tries.size).toBe(3)
    expect(tries.tried("a", 3)).toBe("again")
    expect(tries.tried("b", 4)).toBe("first")
  })

  it("tries of one network do not count against another", () => {
    const tries = new RecentTries()
    for (let i = 0; i < 20; i++) {
      tries.tried("attacker", i)
      tries.wrong("attacker", i)
    }
    expect(tries.tried("attacker", 20)).toBe("often")
    expect(tries.tried("owner", 20)).toBe("first")
  })

  it("the addresses of an IPv6 /48 count as one network, and each IPv4 address is one, mapped or not", () => {
    expect(networkOf("2001:db8:7:1::1")).toBe(networkOf("2001:db8:7:ffff:1::2"))
    expect(networkOf("2001:db8:7::1")).not.toBe(networkOf("2001:db8:8::1"))
    expect(networkOf("::ffff:198.51.100.7")).toBe(networkOf("198.51.100.7"))
    expect(networkOf("198.51.100.7")).not.toBe(networkOf("198.51.100.8"))
    expect(networkOf("")).toBe(networkOf(""))
  })
})
