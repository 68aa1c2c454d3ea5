import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import { AccountSecrets } from "../../../src/accounts/accountSecrets.ts"
import { BackupCodes, BackupCodesLive, readBackupCode } from "../../../src/accounts/twoFactor/backupCodes.ts"
import { CipherLive, makeCipher, makeFingerprints } from "../../../src/crypto/cipher.ts"
import type { EncryptionKeys } from "../../../src/crypto/encryptionKeys.ts"

const keyOf = (byte: number) => ({ id: `k${byte}`, bytes: new Uint8Array(32).fill(byte) })
const service = (keys: EncryptionKeys) => {
  const secrets = Layer.succeed(AccountSecrets, {
    signingSecret: () => "",
    seal: makeCipher(keys).seal,
    fingerprints: makeFingerprints(keys),
  })
  const live = BackupCodesLive.pipe(Layer.provide(Layer.fresh(CipherLive(keys))), Layer.provide(secrets))
  return Effect.runSync(BackupCodes.pipe(Effect.provide(live)))
}
const codes = service([keyOf(7)])

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

  it("a backup code is stored as ciphertext of its digest, which is found by the code and does not show it", () => {
    const { codes: shown, stored } = codes.draw("user")
    for (const [i, code] of shown.entries()) {
      assert.strictEqual(codes.find("user", code, stored), stored[i])
      assert.match(stored[i] ?? "", /^enc:v2:k7:[A-Za-z0-9_-]{95,96}$/)
    }
    for (const code of shown) assert.notInclude(stored.join(" "), code.slice(0, 5))
  })

  it("a backup code is found for its own user alone, and under the key that it was stored with", () => {
    const { codes: shown, stored } = codes.draw("user")
    const [code = ""] = shown
    assert.isUndefined(codes.find("other", code, stored))
    assert.isUndefined(service([keyOf(8)]).find("user", code, stored))
    assert.strictEqual(service([keyOf(8), keyOf(7)]).find("user", code, stored), stored[0])
    assert.isUndefined(codes.find("user", "01234-56789", stored))
    assert.isUndefined(codes.find("user", code, stored.slice(1)))
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
    const { stored } = codes.draw("user")
    for (const text of ["", "-", "01234-5678", "01234-567890", "01234-5678u", "01234_56789", "01234-5678é"]) {
      assert.isUndefined(readBackupCode(text), text)
      assert.isUndefined(codes.find("user", text, stored), text)
    }
  })
})
