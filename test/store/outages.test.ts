import { describe, expect, it } from "vitest"
import { rangeWithin, readOutages } from "../../src/store/endpointRecovery.ts"

const ever = { fromMillis: 0, toMillis: 9_000 }
const outage = { afterEntryId: "2000-3", upToEntryId: "5000-1" }

describe("an endpoint's disabled periods", () => {
  it("are read from its record, oldest first", () => {
    expect(readOutages(undefined)).toEqual([])
    expect(readOutages("2000-3 5000-1,6000-0 7000-0")).toEqual([
      outage,
      { afterEntryId: "6000-0", upToEntryId: "7000-0" },
    ])
  })

  it("are exact where the window is wider, and end with the window where it is narrower", () => {
    expect(rangeWithin(outage, ever)).toEqual({ from: "(2000-3", to: "5000-1" })
    // The first millisecond has entries on both sides.
    expect(rangeWithin(outage, { fromMillis: 2_000, toMillis: 5_000 })).toEqual({
      from: "(2000-3",
      to: "5000-1",
    })
    expect(rangeWithin(outage, { fromMillis: 2_001, toMillis: 4_999 })).toEqual({
      from: "2001",
      to: "4999",
    })
    expect(rangeWithin(outage, { fromMillis: 5_001, toMillis: 9_000 })).toBeUndefined()
    expect(rangeWithin(outage, { fromMillis: 0, toMillis: 1_999 })).toBeUndefined()
  })
})
