import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import {
  newTotpSecret,
  readTotpCode,
  totpCodeOf,
  totpStepAt,
  totpStepOf,
  totpUri,
} from "../../../src/accounts/twoFactor/totp.ts"

/** "12345678901234567890" of RFC 6238, appendix B, in base32. */
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
/** Seconds, and the last six of the eight digits that the RFC lists for SHA-1: a shorter code is a longer one's end. */
const rfcVectors = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const

const stepMillis = limits.totpStepSeconds * 1_000
const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
/** Until the year 2200. */
const timesMillis = fc.integer({ min: 6 * stepMillis, max: 7_258_118_400_000 })

const hasOathtool = (() => {
  try {
    execFileSync("oathtool", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

describe("a TOTP code", () => {
  it("TOTP codes are those of RFC 6238's vectors", () => {
    for (const [seconds, code] of rfcVectors) {
      const step = totpStepAt(seconds * 1_000)
      assert.strictEqual(totpCodeOf(rfcSecret, step), code)
      assert.strictEqual(totpStepOf(code, rfcSecret, seconds * 1_000), step)
    }
  })

  it.skipIf(!hasOathtool)("TOTP codes are those of oathtool", () => {
    for (const seconds of [59, 1_790_000_000, 1_790_000_029, 1_790_000_030]) {
      const arguments_ = ["--totp", "-b", "--now", `@${seconds}`, secret]
      const code = execFileSync("oathtool", arguments_, { encoding: "utf8" }).trim()
      assert.strictEqual(totpStepOf(code, secret, seconds * 1_000), totpStepAt(seconds * 1_000))
    }
  })

  it("a TOTP code is accepted in its step, one before and one after, and in no other", () => {
    fc.assert(
      fc.property(timesMillis, fc.integer({ min: -5, max: 5 }), (nowMillis, distance) => {
        const step = totpStepAt(nowMillis) + distance
        const code = totpCodeOf(secret, step)
        const around = [-1, 0, 1].map((near) => totpStepAt(nowMillis) + near)
        // One code in a million belongs to another step too.
        const found = around.filter((near) => totpCodeOf(secret, near) === code)
        const taken = totpStepOf(code, secret, nowMillis)
        if (Math.abs(distance) <= limits.totpWindowSteps) assert.include(found, taken)
        else assert.strictEqual(taken, found[0])
      }),
    )
  })

  it("a TOTP code counts from the first to the last millisecond of its window", () => {
    const step = 59_000_000
    const code = totpCodeOf(secret, step)
    assert.strictEqual(totpStepOf(code, secret, (step + 2) * stepMillis - 1), step)
    assert.isUndefined(totpStepOf(code, secret, (step + 2) * stepMillis))
    assert.strictEqual(totpStepOf(code, secret, (step - 1) * stepMillis), step)
    assert.isUndefined(totpStepOf(code, secret, (step - 1) * stepMillis - 1))
  })

  it("a TOTP code is read whatever spaces are in it, and must be six ASCII digits", () => {
    for (const text of ["123456", "123 456", " 123456 ", "1 2 3 4 5 6", "123\u00a0456\n"]) {
      assert.strictEqual(readTotpCode(text), "123456")
    }
    for (const text of ["", "12345", "1234567", "12345a", "-12345", "1.2345", "123-456", "１２３４５６"]) {
      assert.isUndefined(readTotpCode(text), text)
    }
  })

  it("any text but a code of the window is refused as a TOTP code", () => {
    const nowMillis = 1_790_000_000_000
    const right = [-1, 0, 1].map((near) => totpCodeOf(secret, totpStepAt(nowMillis) + near))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9]{6}$/)), (text) => {
        fc.pre(!right.includes(text.replace(/\s/g, "")))
        assert.isUndefined(totpStepOf(text, secret, nowMillis))
      }),
    )
  })

  it("a TOTP code is accepted in the first step of time, which has none before it", () => {
    assert.strictEqual(totpStepOf(totpCodeOf(secret, 0), secret, 0), 0)
  })
})

describe("a TOTP secret", () => {
  it("a TOTP secret has 160 bits in base32, and no two are alike", () => {
    const secrets = new Set(Array.from({ length: 50 }, newTotpSecret))
    assert.strictEqual(secrets.size, 50)
    for (const drawn of secrets) assert.match(drawn, /^[A-Z2-7]{32}$/)
  })

  it("a TOTP secret's URI names what authenticators need", () => {
    const uri = new URL(totpUri(secret, "ana+shop@example.com"))
    assert.deepStrictEqual([uri.protocol, uri.host], ["otpauth:", "totp"])
    assert.strictEqual(decodeURIComponent(uri.pathname), "/Corrente:ana+shop@example.com")
    assert.deepStrictEqual(Object.fromEntries(uri.searchParams), {
      secret,
      issuer: "Corrente",
      algorithm: "SHA1",
      digits: "6",
      period: "30",
    })
  })
})
