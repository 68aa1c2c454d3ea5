import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import { checkNewAddress, localPartBytesMax } from "../../../src/accounts/users/addressRules.ts"

const fine = "fine"
/** "fine", or the parameter and message of the refusal. */
const answerTo = (address: string) =>
  Effect.runSync(
    checkNewAddress(address).pipe(
      Effect.as(fine),
      Effect.catch((error) => Effect.succeed(`${error.param}: ${error.message}`)),
    ),
  )

describe("the address of a new account", () => {
  it.each([
    ...["ana@example.com", "Ana.Souza+loja@sub.example.com.br", "o'brien@example.com", "a_b-c@ex-ample.com"],
    ...[
      "joão@example.com",
      "ana@açaí.com.br",
      "ana@xn--aa-yja7d.com.br",
      "straße@beispiel.de",
      "łukasz@example.pl",
    ],
    ...[
      "иван@пример.рф",
      "δοκιμή@παράδειγμα.ελ",
      "用户@例子.公司",
      "ゆうざあ@れい.com",
      "사용자@예시.kr",
      "משתמש@דוגמה.il",
    ],
    ...["ana@1und1.de", "ana@123.com"],
  ])("the address %s may become one of an account", (address) => {
    expect(answerTo(address)).toBe(fine)
  })

  it.each([
    ...[
      "ana@127.0.0.1",
      "ana@[127.0.0.1]",
      "ana@[IPv6:::ffff:1.2.3.4]",
      "ana@1.2.3",
      "ana@0x7f.1",
      "ana@7f.0x1",
    ],
    ...[
      "ana@example.123",
      "ana@-a.com",
      "ana@a-.com",
      "ana@a_b.com",
      "ana@exa mple.com",
      "ana@xn--a.com",
      "ana@１２７.０.０.１",
    ],
  ])("the address %s of no domain name is refused", (address) => {
    expect(answerTo(address)).toContain("email: email must be at a domain name")
  })

  it("the part of an address before the @ may have 64 bytes, and not one more", () => {
    expect(answerTo(`${"a".repeat(localPartBytesMax)}@example.com`)).toBe(fine)
    expect(answerTo(`${"a".repeat(localPartBytesMax + 1)}@example.com`)).toContain("at most 64 bytes")
    expect(answerTo(`${"é".repeat(localPartBytesMax / 2)}@example.com`)).toBe(fine)
    expect(answerTo(`${"é".repeat(localPartBytesMax / 2)}a@example.com`)).toContain("at most 64 bytes")
  })

  it.each([
    // Mixed: a Cyrillic a, a Greek o, a Latin letter among Cyrillic ones.
    ...["\u0430na@example.com", "ana@ex\u0430mple.com", "\u03bfla@example.com", "иvан@example.com"],
    // Of one script, and read as Latin: "аррӏе" and "сосо".
    ...[
      "ana@\u0430\u0440\u0440\u04cf\u0435.com",
      "\u0441\u043e\u0441\u043e@example.com",
      "ana@xn--80ak6aa92e.com",
    ],
    // Latin look-alikes: dotless i, script a, long s, kelvin, full width, mathematical, a ligature.
    ...["\u0131na@example.com", "\u0251na@example.com", "\u017fouza@example.com", "\u212aate@example.com"],
    ...["\uff41na@example.com", "\u{1d41a}na@example.com", "o\ufb01cina@example.com"],
    // Marks that compose to nothing, an invisible letter, a digit and a sign of elsewhere.
    ...[
      "a\u0338na@example.com",
      "joa\u0303o@example.com",
      "ana\u115f@example.com",
      "ana\u0661@example.com",
      "ana\u2044x@example.com",
    ],
  ])("the address %s, which reads as another, is refused", (address) => {
    expect(answerTo(address)).toContain("email: email must not mix scripts")
  })

  it("an address is folded in its ASCII letters alone", () => {
    expect(foldAddress("ANA@Example.COM")).toBe("ana@example.com")
    expect(foldAddress("JOSÉ@example.com")).toBe("josÉ@example.com")
    expect(foldAddress("\u212aate@example.com")).toBe("\u212aate@example.com")
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (address) => {
        const folded = foldAddress(address)
        expect(foldAddress(folded)).toBe(folded)
        expect(folded).not.toMatch(/[A-Z]/)
        expect(folded.replace(/[a-z]/g, "")).toBe(address.replace(/[A-Za-z]/g, ""))
      }),
    )
  })

  it("an address of ASCII letters, digits and dots is never refused for its script", () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,20}$/)
    fc.assert(
      fc.property(part, part, (local, domain) => {
        expect(answerTo(`${local}@${domain}.com`)).toBe(fine)
      }),
    )
  })
})
