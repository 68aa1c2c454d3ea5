import { describe, expect, it } from "vitest"
import { millisOf } from "../../src/acquirers/apiPix/wire.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

describe("times of API Pix", () => {
  it.each([
    ["2026-11-21T12:00:00Z", noon],
    ["2026-11-21T12:00:00.5Z", noon + 500],
    ["2026-11-21T09:00:00.123456789-03:00", noon + 123],
    ["2026-11-22T01:45:00+13:45", noon],
    ["2026-11-21t12:00:00-00:00", noon],
    ["2026-11-21 12:00:00z", noon],
    ["2016-12-31T23:59:60.25Z", Date.parse("2017-01-01T00:00:00.250Z")],
  ])("%s is a time", (text, millis) => {
    expect(millisOf(text)).toBe(millis)
  })

  it.each([
    "2026-11-21T12:00:00",
    "2026-11-21",
    "2026-13-21T12:00:00Z",
    "2026-11-21T24:01:00Z",
    "2026-11-21T12:00:61Z",
    "2026-11-21T12:00:00.Z",
    "2026-11-21T12:00:00-0300",
    "21/11/2026 12:00",
    "",
    null,
    undefined,
    1_795_262_400_000,
    {},
  ])("%j is no time, wherever the service runs", (text) => {
    expect(millisOf(text)).toBeUndefined()
  })
})
