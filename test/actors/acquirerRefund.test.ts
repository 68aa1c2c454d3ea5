import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { acquirerRefundId, isOfReturn } from "../../actors/values/acquirerRefund.ts"
import {
  acquirerRefundIdOf,
  isId,
  makeId,
  partitionOfId,
  refundIdOfAcquirer,
  timeOfId,
} from "../../schema/ids.ts"

const millis = fc.integer({ min: 0, max: 2 ** 45 })
const partition = fc.nat({ max: 1_023 })
const sellerIn = (number: number) => makeId("sel_", 0, number, new Uint8Array(14))

describe("the id of a refund that began at the acquirer", () => {
  it("such an id is a refund's, of its moment and its seller's partition", () => {
    fc.assert(
      fc.property(millis, partition, fc.string(), fc.string(), (at, where, endToEndId, acquirerId) => {
        const id = acquirerRefundId(sellerIn(where), at, endToEndId, acquirerId)
        expect([isId("rfd_", id), timeOfId(id), partitionOfId(id)]).toEqual([true, at, where])
      }),
    )
  })

  it("a return is recognised by the id that was made of it, at whatever moment, and no other return is", () => {
    const id = acquirerRefundId(sellerIn(7), 1_795_000_000_000, "E1", "D1")
    expect(isOfReturn(id, "E1", "D1")).toBe(true)
    expect(isOfReturn(acquirerRefundId(sellerIn(7), 1, "E1", "D1"), "E1", "D1")).toBe(true)
    for (const [endToEndId, acquirerId] of [
      ["E1", "D2"],
      ["E2", "D1"],
      ["E1D", "1"],
      ["", ""],
    ] as const) {
      expect(isOfReturn(id, endToEndId, acquirerId)).toBe(false)
    }
  })
})

describe("a refund's id at the acquirer", () => {
  it("a refund's id at the acquirer names it back, and text of another form names none", () => {
    const id = acquirerRefundId(sellerIn(7), 1_795_000_000_000, "E1", "D1")
    expect(acquirerRefundIdOf(id)).toMatch(/^[0-9A-Z]{26}$/)
    expect(refundIdOfAcquirer(acquirerRefundIdOf(id))).toBe(id)
    for (const text of ["", "D1", id, acquirerRefundIdOf(id).slice(1), `${acquirerRefundIdOf(id)}0`]) {
      expect(refundIdOfAcquirer(text)).toBeUndefined()
    }
  })
})
