import { describe, expect, it } from "@effect/vitest"
import { reader } from "./browserReader.ts"

/** Whether a page of `origin` may act by its cookie on a service that was reached as `host`. */
const passes = (publicUrl: string | undefined, host: string, origin: string): boolean =>
  reader({ publicUrl, dashboardOrigins: ["https://panel.example"] })("203.0.113.5", { host, origin })
    .crossSite === undefined

describe("origins where PUBLIC_URL is set", () => {
  const publicUrl = "https://pay.example:8443/base"

  it("PUBLIC_URL's origin and those of DASHBOARD_ORIGINS pass, whatever the Host", () => {
    for (const host of ["pay.example:8443", "PAY.example:8443", "127.0.0.1:3000", ""]) {
      expect(passes(publicUrl, host, "https://pay.example:8443")).toBe(true)
      expect(passes(publicUrl, host, "https://panel.example")).toBe(true)
    }
  })

  it("with PUBLIC_URL, no other origin passes for being the Host's: anybody can point a name at us", () => {
    for (const [host, origin] of [
      ["evil.example", "https://evil.example"],
      ["evil.example", "http://evil.example"],
      ["127.0.0.1:3000", "http://127.0.0.1:3000"],
      ["localhost:3000", "http://localhost:3000"],
    ] as const) {
      expect([origin, passes(publicUrl, host, origin)]).toEqual([origin, false])
    }
  })

  it("PUBLIC_URL's origin does not pass by another scheme or port", () => {
    for (const origin of ["http://pay.example:8443", "http://pay.example", "https://pay.example"]) {
      for (const host of ["pay.example:8443", "pay.example"]) {
        expect([origin, host, passes(publicUrl, host, origin)]).toEqual([origin, host, false])
      }
    }
    expect(passes("http://pay.example", "pay.example", "https://pay.example")).toBe(false)
  })
})

describe("origins where PUBLIC_URL is not set", () => {
  it("without PUBLIC_URL, the Host's origin passes by both schemes, and one with another port does not", () => {
    expect(passes(undefined, "service.test", "http://service.test")).toBe(true)
    expect(passes(undefined, "SERVICE.test", "https://service.test")).toBe(true)
    expect(passes(undefined, "service.test:8080", "http://service.test:8080")).toBe(true)
    expect(passes(undefined, "service.test", "http://service.test:8080")).toBe(false)
    expect(passes(undefined, "", "http://service.test")).toBe(false)
  })
})
