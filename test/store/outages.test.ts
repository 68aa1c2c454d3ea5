import { describe, expect, it } from "vitest"
import { rangeWithin, readOutages } from "../../src/store/endpoints/outages.ts"

const ever = { fromMillis: 0, toMillis: 9_000 }
const outage = { afterEntryId: "2000-3", upToEntryId: "5000-1" }

describe("an endpoint's disabled periods", () => {
  it("are read from its record, oldest first", () => {
    expect(readOutages(undefined)).toEqual([])
    expect(readOutages("2000-3 5000-1,6000-0 7000-0")).toEqual([
      outage,
      { afterEntryId: "6000-0", upToEntryId: "7000-0" },
    ])
    expect(readOutages(" 5000-1")).toEqual([{ afterEntryId: undefined, upToEntryId: "5000-1" }])
  })

  it("are exact where the window is wider, and end with the window where it is narrower", () => {
    expect(rangeWithin(outage, ever, 0)).toEqual({ from: "(2000-3", to: "5000-1" })
    // The first millisecond has entries on both sides.
    expect(rangeWithin(outage, { fromMillis: 2_000, toMillis: 5_000 }, 0)).toEqual({
      from: "(2000-3",
      to: "5000-1",
    })
    expect(rangeWithin(outage, { fromMillis: 2_001, toMillis: 4_999 }, 0)).toEqual({
      from: "2001",
      to: "4999",
    })
    expect(rangeWithin(outage, { fromMillis: 5_001, toMillis: 9_000 }, 0)).toBeUndefined()
    expect(rangeWithin(outage, { fromMillis: 0, toMillis: 1_999 }, 0)).toBeUndefined()
  })

  it("begin with the endpoint's creation where an earlier build disabled it", () => {
    const unknown = { afterEntryId: undefined, upToEntryId: "5000-1" }
    expect(rangeWithin(unknown, ever, 1_500)).toEqual({ from: "1500", to: "5000-1" })
    expect(rangeWithin(unknown, { fromMillis: 3_000, toMillis: 9_000 }, 1_500)).toEqual({
      from: "3000",
      to: "5000-1",
    })
  })
})
