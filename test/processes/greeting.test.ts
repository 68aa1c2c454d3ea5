import { describe, expect, it } from "vitest"
import { greeting } from "../../src/processes/greeting.ts"

const settings = { processes: 1, acquirers: { simulator: { delayMillis: 3_000 } } } as Parameters<
  typeof greeting
>[0]

describe("what the start prints", () => {
  it("the start prints the dashboard's address first", () => {
    const lines = greeting(settings, { host: "0.0.0.0", port: 3000 }, "redis").split("\n")
    expect(lines[0]).toMatch(/ http:\/\/localhost:3000\/app$/)
    expect(lines[1]).toMatch(/is listening on http:\/\/localhost:3000$/)
  })
})
