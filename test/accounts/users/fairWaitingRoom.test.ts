import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import {
  FairWaitingRoom,
  firstShare,
  ownPlaces,
  type Place,
  type Places,
  rankOfCall,
  type StrangerRank,
  strangerRanks,
} from "../../../src/accounts/users/fairWaitingRoom.ts"

interface Entry extends Place {
  readonly name: string
}
const ranked = (rank: Place["rank"], name: string, ...path: ReadonlyArray<string>): Entry => ({
  rank,
  path,
  name,
})
const stranger = (name: string, ...path: ReadonlyArray<string>): Entry => ranked("first", name, ...path)
const known = (name: string, user: string): Entry => ranked("known", name, user)
/** As many places, for first tries too. */
const placesOf = (all: number, first = all): Places => ({ all, first })
const namesOf = (turns: FairWaitingRoom<Entry>) => {
  const names: Array<string> = []
  for (let entry = turns.take(); entry !== undefined; entry = turns.take()) names.push(entry.name)
  return names.join(" ")
}

const strangerRank: fc.Arbitrary<StrangerRank> = fc.constantFrom(...strangerRanks)
const strangerPath = fc.tuple(
  fc.constantFrom("p1", "p2"),
  fc.constantFrom("s1", "s2", "s3"),
  fc.constantFrom("c1", "c2"),
)
const knownPlace: fc.Arbitrary<Place> = fc.record({
  rank: fc.constant("known" as const),
  path: fc.tuple(fc.constantFrom("u1", "u2", "u3")),
})
const place: fc.Arbitrary<Place> = fc.oneof(knownPlace, fc.record({ rank: strangerRank, path: strangerPath }))
type Step =
  | { readonly kind: "add"; readonly place: Place }
  | { readonly kind: "take" }
  | { readonly kind: "leave"; readonly which: number }
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: place.map((one) => ({ kind: "add" as const, place: one })) },
    { weight: 1, arbitrary: fc.constant({ kind: "take" as const }) },
    { weight: 1, arbitrary: fc.nat(20).map((which) => ({ kind: "leave" as const, which })) },
  ),
  { maxLength: 200 },
)
const groupOf = ({ rank, path }: Entry) => `${rank} ${path.join(" ")}`

describe("turns", () => {
  it("networks take turns, however much one of them asks", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(10))
    for (const name of ["a1", "a2", "a3"]) turns.add(stranger(name, "a", "a", name))
    turns.add(stranger("b1", "b", "b", "b"))
    turns.add(stranger("a4", "a", "other site", "a4"))
    turns.add(stranger("c1", "c", "c", "c"))
    expect(namesOf(turns)).toBe("a1 b1 c1 a4 a2 a3")
  })

  it("known askers go before strangers, and users take turns", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(10))
    turns.add(stranger("s1", "s", "s", "s"))
    for (const name of ["u1", "u2"]) turns.add(known(name, "u"))
    turns.add(known("v1", "v"))
    expect(namesOf(turns)).toBe("u1 v1 u2 s1")
  })

  it("a newcomer to a full queue gets a place of whoever holds most, until both hold as many", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(4))
    for (const name of ["a1", "a2", "a3", "a4"])
      expect(turns.add(stranger(name, "a", name, name))).toBeUndefined()
    // A fifth of the same network gets no place.
    expect(turns.add(stranger("a5", "a", "a5", "a5"))?.name).toBe("a5")
    expect(turns.add(stranger("b1", "b", "b", "b"))?.name).toMatch(/^a/)
    expect(turns.add(stranger("b2", "b", "b", "b"))?.name).toMatch(/^a/)
    // Both hold two now, so nobody makes room.
    expect(turns.add(stranger("b3", "b", "b", "b"))?.name).toBe("b3")
    expect(turns.size).toBe(4)
  })

  it("a known asker takes the place of a stranger in a full queue, and a stranger never that of a known one", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(3))
    for (const name of ["s1", "s2", "s3"]) turns.add(stranger(name, "s", name, name))
    expect(turns.add(known("u1", "u"))?.name).toMatch(/^s/)
    expect(turns.add(known("u2", "u"))?.name).toMatch(/^s/)
    expect(turns.add(known("u3", "u"))?.name).toMatch(/^s/)
    expect(turns.add(stranger("t1", "t", "t", "t"))?.name).toBe("t1")
    expect(turns.add(known("u4", "u"))?.name).toBe("u4")
    expect(turns.add(known("v1", "v"))?.name).toBe("u3")
    expect(namesOf(turns)).toBe("u1 v1 u2")
  })

  it("turns are bounded, lose nobody, and keep the order of each group, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (sizeMax, done) => {
        const turns = new FairWaitingRoom<Entry>(() => placesOf(sizeMax))
        let waiting: ReadonlyArray<Entry> = []
        for (const [index, step] of done.entries()) {
          if (step.kind === "add") {
            const entry = { ...step.place, name: String(index) }
            const dropped = turns.add(entry)
            expect(dropped === undefined).toBe(waiting.length < sizeMax)
            waiting = [...waiting, entry].filter((one) => one !== dropped)
          } else if (step.kind === "leave") {
            const left = waiting[step.which]
            if (left !== undefined) expect(turns.remove(left)).toBe(true)
            if (left !== undefined) expect(turns.remove(left)).toBe(false)
            waiting = waiting.filter((one) => one !== left)
          } else {
            const taken = turns.take()
            expect(taken === undefined).toBe(waiting.length === 0)
            if (taken === undefined) continue
            expect(waiting.find((one) => groupOf(one) === groupOf(taken))).toBe(taken)
            if (waiting.some(({ rank }) => rank === "known")) expect(taken.rank).toBe("known")
            waiting = waiting.filter((one) => one !== taken)
          }
          expect(turns.size).toBe(waiting.length)
          expect(turns.size).toBeLessThanOrEqual(sizeMax)
        }
      }),
    )
  })

  it("a stranger alone of its network always gets a place while another network holds at least three", () => {
    const first = fc.record({ rank: fc.constant("first" as const), path: strangerPath })
    fc.assert(
      fc.property(fc.array(fc.oneof(knownPlace, first), { minLength: 12, maxLength: 60 }), (places) => {
        const turns = new FairWaitingRoom<Entry>(() => placesOf(12))
        for (const [index, one] of places.entries()) turns.add({ ...one, name: String(index) })
        const newcomer = stranger("newcomer", "p3", "s1", "c1")
        const strangers = places.filter(({ rank }) => rank !== "known").length
        const isRoomMade = turns.add(newcomer) !== newcomer
        // Known askers hold no more places than they asked for; two networks share the rest.
        if (strangers >= 12 && places.length - strangers <= 6) expect(isRoomMade).toBe(true)
      }),
    )
  })
})

describe("ranks of strangers", () => {
  it("first tries have three of four turns, and no rank waits for more than fifteen turns of others", () => {
    const turns = Array.from({ length: 32 }, (_, turn) => rankOfCall(turn, () => true))
    expect(turns.slice(0, 8).join(" ")).toBe("first first again first first first wrong first")
    expect(turns.slice(8, 16).join(" ")).toBe("first first again first first first often first")
    expect(turns.slice(16)).toEqual(turns.slice(0, 16))
    expect(firstShare).toBe(0.75)
    fc.assert(
      fc.property(fc.subarray([...strangerRanks], { minLength: 1 }), fc.nat(1_000), (waiting, from) => {
        const waits = (rank: StrangerRank) => waiting.includes(rank)
        const taken = Array.from({ length: 16 }, (_, index) => rankOfCall(from + index, waits))
        for (const rank of waiting) expect(taken).toContain(rank)
        // The best rank that waits never waits for two turns of others.
        for (let at = 0; at < 15; at++) expect(taken.slice(at, at + 2)).toContain(waiting[0])
        expect(taken.every((rank) => rank !== undefined && waits(rank))).toBe(true)
      }),
    )
  })

  it("where nobody waits there is no turn", () => {
    expect(rankOfCall(3, () => false)).toBeUndefined()
    expect(new FairWaitingRoom<Entry>(() => placesOf(4)).take()).toBeUndefined()
  })

  it("a first try gets its turn after one other, however many wait that were wrong before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<StrangerRank>("again", "wrong", "often"), { maxLength: 60 }),
        fc.nat(60),
        (others, taken) => {
          const turns = new FairWaitingRoom<Entry>(() => placesOf(64))
          for (const [index, rank] of others.entries()) {
            turns.add(ranked(rank, `other ${index}`, `p${index}`, "s", "c"))
          }
          for (let at = 0; at < taken; at++) turns.take()
          turns.add(stranger("owner", "owner's", "s", "c"))
          expect([turns.take(), turns.take()].map((entry) => entry?.name)).toContain("owner")
        },
      ),
    )
  })

  it("first tries have places of their own, and the other ranks share the rest", () => {
    const own = (all: number, first: number) =>
      strangerRanks.map((rank) => ownPlaces(rank, placesOf(all, first)))
    expect(own(40, 8)).toEqual([8, 16, 8, 8])
    expect(own(11, 4)).toEqual([4, 3, 1, 1])
    expect(own(4, 9)).toEqual([4, 0, 0, 0])
  })

  it("the own places of all ranks fit, whatever their number", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (all, first) => {
        const sum = strangerRanks.reduce((total, rank) => total + ownPlaces(rank, { all, first }), 0)
        expect(sum).toBeLessThanOrEqual(all)
      }),
    )
  })

  it("first tries get their places from those that were wrong, and not one more", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(8, 3))
    for (let i = 0; i < 8; i++) turns.add(ranked("often", `often ${i}`, `p${i}`, "s", "c"))
    for (let i = 0; i < 3; i++) {
      expect(turns.add(stranger(`first ${i}`, `f${i}`, "s", "c"))?.name).toMatch(/^often/)
    }
    const last = stranger("first 3", "f3", "s", "c")
    expect(turns.add(last)).toBe(last)
  })

  it("first tries leave places free that are not theirs, and the heaviest network makes room among them", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(8, 3))
    for (let i = 0; i < 3; i++) expect(turns.add(stranger(`a${i}`, "a", `a${i}`, "c"))).toBeUndefined()
    expect(turns.add(stranger("b0", "b", "s", "c"))?.name).toMatch(/^a/)
    expect(turns.size).toBe(3)
    expect(turns.add(ranked("often", "often", "o", "s", "c"))).toBeUndefined()
  })

  it("a rank with places of its own left takes one of a rank that has more than its own", () => {
    const turns = new FairWaitingRoom<Entry>(() => placesOf(8, 4))
    for (let i = 0; i < 4; i++) turns.add(stranger(`first ${i}`, `f${i}`, "s", "c"))
    for (let i = 0; i < 4; i++) turns.add(ranked("again", `again ${i}`, `a${i}`, "s", "c"))
    expect(turns.add(ranked("wrong", "wrong 0", "w0", "s", "c"))?.name).toMatch(/^again/)
    const more = ranked("wrong", "wrong 1", "w1", "s", "c")
    expect(turns.add(more)).toBe(more)
    expect(turns.add(ranked("often", "often 0", "o0", "s", "c"))?.name).toMatch(/^again/)
  })

  it("no rank loses its own places to another, whatever comes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 24 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(strangerRank, { minLength: 1, maxLength: 120 }),
        (all, first, ranks) => {
          const places = placesOf(all, first)
          const turns = new FairWaitingRoom<Entry>(() => places)
          const sizes = { first: 0, again: 0, wrong: 0, often: 0 }
          for (const [index, rank] of ranks.entries()) {
            const newcomer = ranked(rank, String(index), `p${index}`, "s", "c")
            const dropped = turns.add(newcomer)
            // A rank with places of its own left always gets one.
            if (sizes[rank] < ownPlaces(rank, places)) expect(dropped).not.toBe(newcomer)
            sizes[rank] += 1
            if (dropped !== undefined && dropped.rank !== "known") {
              sizes[dropped.rank] -= 1
              const isOther = dropped.rank !== rank
              if (isOther) expect(sizes[dropped.rank]).toBeGreaterThanOrEqual(ownPlaces(dropped.rank, places))
            }
            expect(sizes.first).toBeLessThanOrEqual(first)
            expect(turns.size).toBeLessThanOrEqual(all)
          }
        },
      ),
    )
  })
})
