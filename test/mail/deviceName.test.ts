import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deviceName } from "../../src/mail/deviceName.ts"

const agents = {
  "Chrome, Windows":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Edge, Windows":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
  "Safari, iOS":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  "Safari, macOS":
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
  "Samsung Internet, Android":
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
  "Firefox, Linux": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  curl: "curl/8.15.0",
  desconhecido: "a program of my own",
}

describe("a device's name", () => {
  it.each(Object.entries(agents))("deviceName reads '%s' from a User-Agent", (name, userAgent) => {
    expect(deviceName(userAgent)).toBe(name)
  })

  it("a device without a User-Agent is named 'desconhecido'", () => {
    expect(deviceName(undefined)).toBe("desconhecido")
  })

  it("a device's name has only our own words, whatever the User-Agent says", () => {
    const ours = /^(?:desconhecido|[A-Za-z ]+(?:, [A-Za-z]+)?)$/
    const hostile = fc.oneof(
      fc.string(),
      fc.string().map((text) => `${text} Firefox/1 (X11; Linux) ${text}`),
    )
    fc.assert(
      fc.property(hostile, (userAgent) => {
        const name = deviceName(userAgent)
        expect(name).toMatch(ours)
        expect(name.length).toBeLessThan(40)
      }),
    )
  })
})
