import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FairQueue, type Place } from "../../src/load/fairQueue.ts"

const takeAll = <A>(queue: FairQueue<A>): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (let value = queue.take(); value !== undefined; value = queue.take()) taken.push(value)
  return taken
}

const keys = ["a", "b", "c"] as const

describe("a fair queue", () => {
  it("a fair queue serves keys in turns, and each key's values in their order", () => {
    const queue = new FairQueue<string>()
    for (const value of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(value.slice(0, 1), value, 0, 1)

    expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"])
  })

  it("a fair queue counts all of a key's own ahead of a newcomer, and for a new key one turn of the others", () => {
    const queue = new FairQueue<number>()
    for (let i = 0; i < 100; i++) queue.add("a", i, 0, 1)

    expect(queue.aheadOf("a")).toBe(100)
    expect(queue.aheadOf("b")).toBe(1)
  })

  it("a fair queue takes out the values of all keys that have waited since before a given time", () => {
    const queue = new FairQueue<string>()
    queue.add("a", "a1", 10, 1)
    queue.add("a", "a2", 20, 1)
    queue.add("b", "b1", 19, 1)

    expect(queue.takeOlder(20)).toEqual(["a1", "b1"])
    expect(takeAll(queue)).toEqual(["a2"])
  })

  it("a fair queue loses nothing, repeats nothing, counts right and stays fair, whatever comes and goes", () => {
    const act = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant("add" as const), key: fc.constantFrom(...keys) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("take" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat(50) }) },
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const queue = new FairQueue<{ readonly key: string; readonly number: number }>()
        const waiting = new Map<number, Place<{ readonly key: string; readonly number: number }>>()
        const lastTaken = new Map<string, number>()
        acts.forEach((one, number) => {
          if (one.kind === "add") {
            const ahead = queue.aheadOf(one.key)
            expect(ahead).toBeLessThanOrEqual(queue.size)
            waiting.set(number, queue.add(one.key, { key: one.key, number }, number, number))
          } else if (one.kind === "take") {
            const taken = queue.take()
            expect(taken === undefined).toBe(waiting.size === 0)
            if (taken === undefined) return
            expect(waiting.delete(taken.number)).toBe(true)
            expect(taken.number).toBeGreaterThan(lastTaken.get(taken.key) ?? -1)
            lastTaken.set(taken.key, taken.number)
          } else {
            const [found] = [...waiting].slice(one.at)
            if (found === undefined) return
            queue.remove(found[1])
            queue.remove(found[1])
            waiting.delete(found[0])
          }
          expect(queue.size).toBe(waiting.size)
          expect(queue.bytes).toBe([...waiting.keys()].reduce((sum, bytes) => sum + bytes, 0))
        })
        // As many turns as keys are left serve each of them once.
        const left = keys.filter((key) => queue.sizeOf(key) > 0)
        const round = left.map(() => queue.take()?.key)
        expect([...round].sort()).toEqual([...left].sort())
      }),
    )
  })
})
