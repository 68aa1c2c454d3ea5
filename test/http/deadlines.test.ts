import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DeadlineList, type Expiring } from "../../src/http/server/deadlines.ts"

class Member implements Expiring {
  previous: Expiring | undefined = undefined
  next: Expiring | undefined = undefined
  addedTick = -1
  expiredAt: number | undefined = undefined
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  readonly expire = () => {
    this.expiredAt = this.#now()
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "add" as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat({ max: 50 }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: "sweep" as const }) },
)

describe("a deadline list", () => {
  it("a deadline list expires a member one tick after its allowed ticks, once, unless it was removed before", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4 }), fc.array(step, { maxLength: 120 }), (ticksMax, steps) => {
        let tick = 0
        const list = new DeadlineList(ticksMax)
        const members: Array<{
          readonly member: Member
          readonly added: number
          removed: number | undefined
        }> = []
        for (const item of steps) {
          if (item.kind === "add") {
            const member = new Member(() => tick)
            list.add(member)
            members.push({ member, added: tick, removed: undefined })
          } else if (item.kind === "remove") {
            const chosen = members[item.at % Math.max(1, members.length)]
            if (chosen === undefined) continue
            list.remove(chosen.member)
            chosen.removed ??= tick
          } else {
            tick++
            list.sweep()
          }
        }
        for (const { member, added, removed } of members) {
          const due = added + ticksMax + 1
          const isDue = due <= tick && (removed === undefined || removed >= due)
          expect(member.expiredAt).toBe(isDue ? due : undefined)
        }
      }),
      { numRuns: 300 },
    )
  })
})
