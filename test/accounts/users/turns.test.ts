import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { type Asker, Turns } from "../../../src/accounts/users/turns.ts"

interface Entry {
  readonly asker: Asker
  readonly name: string
}
const stranger = (name: string, ...path: ReadonlyArray<string>): Entry => ({
  asker: { isKnown: false, path },
  name,
})
const known = (name: string, user: string): Entry => ({ asker: { isKnown: true, path: [user] }, name })
const namesOf = (turns: Turns<Entry>) => {
  const names: Array<string> = []
  for (let entry = turns.take(); entry !== undefined; entry = turns.take()) names.push(entry.name)
  return names.join(" ")
}

const asker: fc.Arbitrary<Asker> = fc.oneof(
  fc.record({ isKnown: fc.constant(true), path: fc.tuple(fc.constantFrom("u1", "u2", "u3")) }),
  fc.record({
    isKnown: fc.constant(false),
    path: fc.tuple(
      fc.constantFrom("p1", "p2"),
      fc.constantFrom("s1", "s2", "s3"),
      fc.constantFrom("c1", "c2"),
    ),
  }),
)
type Step =
  | { readonly kind: "add"; readonly asker: Asker }
  | { readonly kind: "take" }
  | { readonly kind: "leave"; readonly which: number }
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: asker.map((one) => ({ kind: "add" as const, asker: one })) },
    { weight: 1, arbitrary: fc.constant({ kind: "take" as const }) },
    { weight: 1, arbitrary: fc.nat(20).map((which) => ({ kind: "leave" as const, which })) },
  ),
  { maxLength: 200 },
)
const laneOf = ({ asker: { isKnown, path } }: Entry) => `${isKnown} ${path.join(" ")}`

describe("turns", () => {
  it("networks take turns, however much one of them asks", () => {
    const turns = new Turns<Entry>(() => 10)
    for (const name of ["a1", "a2", "a3"]) turns.add(stranger(name, "a", "a", name))
    turns.add(stranger("b1", "b", "b", "b"))
    turns.add(stranger("a4", "a", "other site", "a4"))
    turns.add(stranger("c1", "c", "c", "c"))
    expect(namesOf(turns)).toBe("a1 b1 c1 a4 a2 a3")
  })

  it("known askers go before strangers, and users take turns", () => {
    const turns = new Turns<Entry>(() => 10)
    turns.add(stranger("s1", "s", "s", "s"))
    for (const name of ["u1", "u2"]) turns.add(known(name, "u"))
    turns.add(known("v1", "v"))
    expect(namesOf(turns)).toBe("u1 v1 u2 s1")
  })

  it("a newcomer to a full queue gets a place of whoever holds most, until both hold as many", () => {
    const turns = new Turns<Entry>(() => 4)
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
    const turns = new Turns<Entry>(() => 3)
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
        const turns = new Turns<Entry>(() => sizeMax)
        let waiting: ReadonlyArray<Entry> = []
        for (const [index, step] of done.entries()) {
          if (step.kind === "add") {
            const entry = { asker: step.asker, name: String(index) }
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
            expect(waiting.find((one) => laneOf(one) === laneOf(taken))).toBe(taken)
            if (waiting.some(({ asker: { isKnown } }) => isKnown)) expect(taken.asker.isKnown).toBe(true)
            waiting = waiting.filter((one) => one !== taken)
          }
          expect(turns.size).toBe(waiting.length)
          expect(turns.size).toBeLessThanOrEqual(sizeMax)
        }
      }),
    )
  })

  it("a stranger alone of its network always gets a place while another network holds at least three", () => {
    fc.assert(
      fc.property(fc.array(asker, { minLength: 12, maxLength: 60 }), (askers) => {
        const turns = new Turns<Entry>(() => 12)
        for (const [index, one] of askers.entries()) turns.add({ asker: one, name: String(index) })
        const newcomer = stranger("newcomer", "p3", "s1", "c1")
        const strangers = askers.filter(({ isKnown }) => !isKnown).length
        const isRoomMade = turns.add(newcomer) !== newcomer
        // Known askers hold no more places than they asked for; two networks share the rest.
        if (strangers >= 12 && askers.length - strangers <= 6) expect(isRoomMade).toBe(true)
      }),
    )
  })
})
