import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import { BackupCodes, BackupCodesLive, readBackupCode } from "../../../src/accounts/twoFactor/backupCodes.ts"

const service = (key: number) =>
  Effect.runSync(BackupCodes.pipe(Effect.provide(BackupCodesLive(new Uint8Array(32).fill(key)))))
const codes = service(7)

describe("backup codes", () => {
  it("backup codes come in tens, each of two groups of five, and no two are alike", () => {
    const drawn = Array.from({ length: 20 }, () => codes.draw("user"))
    for (const { codes: shown, stored } of drawn) {
      assert.deepStrictEqual(
        [shown.length, stored.length],
        [limits.backupCodesCount, limits.backupCodesCount],
      )
      for (const code of shown) assert.match(code, /^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)
    }
    assert.strictEqual(new Set(drawn.flatMap(({ codes: shown }) => shown)).size, 200)
  })

  it("backup codes use their whole alphabet", () => {
    const drawn = Array.from({ length: 30 }, () => codes.draw("user").codes.join("")).join("")
    assert.strictEqual(new Set(drawn.replaceAll("-", "")).size, 32)
  })

  it("a backup code is stored as a digest, which is found by the code and does not show it", () => {
    const { codes: shown, stored } = codes.draw("user")
    for (const [i, code] of shown.entries()) {
      assert.strictEqual(codes.storedOf("user", code), stored[i])
      assert.match(stored[i] ?? "", /^[A-Za-z0-9_-]{43}$/)
    }
    for (const code of shown) assert.notInclude(stored.join(" "), code.slice(0, 5))
  })

  it("a backup code is stored differently for another user, and under another key", () => {
    const stored = codes.storedOf("user", "01234-56789")
    assert.isDefined(stored)
    assert.notStrictEqual(stored, codes.storedOf("other", "01234-56789"))
    assert.notStrictEqual(stored, service(8).storedOf("user", "01234-56789"))
    assert.strictEqual(stored, service(7).storedOf("user", "01234-56789"))
  })

  it("a backup code is read whatever its case, dashes and spaces, and with letters that look like digits", () => {
    const [shown = ""] = codes.draw("user").codes
    fc.assert(
      fc.property(fc.array(fc.constantFrom("", " ", "-", "\t"), { minLength: 11, maxLength: 11 }), (gaps) => {
        const typed = [...shown.toUpperCase()].map((character, i) => `${gaps[i]}${character}`).join("")
        assert.strictEqual(readBackupCode(typed), shown.replace("-", ""))
      }),
    )
    assert.strictEqual(readBackupCode("oOiIl-Labcd"), "001111abcd")
  })

  it("a text that is too short, too long or has other characters is no backup code", () => {
    for (const text of ["", "-", "01234-5678", "01234-567890", "01234-5678u", "01234_56789", "01234-5678é"]) {
      assert.isUndefined(readBackupCode(text), text)
      assert.isUndefined(codes.storedOf("user", text), text)
    }
  })
})
