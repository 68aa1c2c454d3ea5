import { describe, expect, it } from "vitest"
import { Callers } from "../../src/http/server/callers.ts"
import type { Route } from "../../src/http/server/route.ts"

const charge = { asksAcquirer: true, routeClass: "work" } as Route
const read = { asksAcquirer: false, routeClass: "work" } as Route
const keyOf = (mode: string) => `sk_${mode}_00${"a".repeat(41)}`

describe("the class of a request", () => {
  const callers = new Callers(new Set(["live"]))

  it.each(["Bearer ", "bearer ", "BEARER ", "Bearer   "])(
    "a charge that waits for a remote acquirer is outside admission with the scheme %j",
    (scheme) => {
      expect(callers.classOf(charge, scheme + keyOf("live"))).toBe("outside")
    },
  )

  it("a request that waits for no remote acquirer, or has no API key, stays in its route's class", () => {
    const live = `Bearer ${keyOf("live")}`
    const lanes = [
      callers.classOf(read, live),
      callers.classOf(charge, `Bearer ${keyOf("test")}`),
      ...[undefined, "", "Bearer", `Basic ${keyOf("live")}`].map((header) => callers.classOf(charge, header)),
      new Callers(new Set()).classOf(charge, live),
    ]
    expect(lanes).toEqual(lanes.map(() => "work"))
  })
})
