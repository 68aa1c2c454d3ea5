import { describe, expect, it } from "@effect/vitest"
import { dictionary } from "@zxcvbn-ts/language-common"
import { Effect } from "effect"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import { checkNewPassword, isMadeOfNames } from "../../../src/accounts/users/passwordRules.ts"

const email = "ana.maria.souza@example.com"
const names = ["Ana Maria Souza", "Loja da Ana", "Café Três Irmãos Ltda."]
const paramOf = (password: string, param: "password" | "newPassword" = "password") =>
  Effect.runPromise(
    checkNewPassword(param, password, { email, names }).pipe(
      Effect.as("fine"),
      Effect.catch((error) => Effect.succeed(`${error.code} ${error.param}`)),
    ),
  )

describe("a new password", () => {
  it("a new password that is on a published list of at least 10,000 is refused, whatever its case", async () => {
    const listed = dictionary["passwords-common"]
    expect(listed.length).toBeGreaterThanOrEqual(10_000)
    const long = listed.filter((password) => password.length >= limits.passwordLengthMin)
    expect(long.length).toBeGreaterThan(100)
    for (const password of long) {
      expect([password, await paramOf(password)]).toEqual([password, "validation_failed password"])
      expect(await paramOf(password.toUpperCase())).toBe("validation_failed password")
    }
    expect(await paramOf("PasswordPassword", "newPassword")).toBe("validation_failed newPassword")
  })

  it("a new password that is the user's e-mail address, or its part before the @, is refused", async () => {
    for (const password of [email, email.toUpperCase(), "ana.maria.souza", "Ana.Maria.Souza"]) {
      expect([password, await paramOf(password)]).toEqual([password, "validation_failed password"])
    }
    expect(await paramOf(`${email}.br`)).toBe("fine")
  })

  it.each([
    ...[
      "corrente123456",
      "Corrente@2026!",
      "correntecorrente",
      "123456corrente",
      "c0rr3nt3#2026",
      "CORRENTE-CORRENTE",
    ],
    ...["anamaria2026", "Ana.Souza.123", "souza!souza!", "4n4m4r14s0uz4", "LojaDaAna1234", "loja-da-ana-99"],
    ...["CafeTres1234", "café três irmãos", "tresirmaosltda", "ana+corrente+1", "ＣＯＲＲＥＮＴＥ2026"],
  ])("a new password of nothing but names, digits and punctuation is refused: '%s'", async (password) => {
    expect(await paramOf(password)).toBe("validation_failed password")
    expect(await paramOf(password, "newPassword")).toBe("validation_failed newPassword")
  })

  it.each([
    ...[
      "correntezaazul",
      "correntemente1",
      "ana come batata",
      "loja da esquina",
      "123456789317",
      "souzas da praia",
    ],
    // The words of a name that are too short to tell anything.
    ...["da!29481-48201", "7dadada4810293"],
  ])("a new password may have names beside other words: '%s'", async (password) => {
    expect(await paramOf(password)).toBe("fine")
  })

  it("a new password of a name is refused from three letters on, and of shorter words together", () => {
    expect(isMadeOfNames("li1234567890", ["Li"])).toBe(false)
    expect(isMadeOfNames("lia123456789", ["Lia"])).toBe(true)
    expect(isMadeOfNames("liwu12345678", ["Li Wu"])).toBe(true)
    expect(isMadeOfNames("123456789012", ["Ana 123456789012"])).toBe(false)
  })

  it("a new password is compared with names in time, however they repeat", () => {
    const name = "oi io oio ioi oii iio"
    expect(isMadeOfNames(`${"01".repeat(127)}01`, [name])).toBe(true)
    expect(isMadeOfNames(`${"01".repeat(127)}0x`, [name])).toBe(false)
  })

  it("a new password with any names in any spelling and order is refused, and one more letter is enough to pass", () => {
    const known = ["corrente", "souza", "irmaos"]
    const word = fc.constantFrom(...known, "Corrente", "SOUZA", "irmãos", "s0uza")
    const filler = fc.stringMatching(/^[0-9!@#$%. _-]{0,5}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(filler, word), { minLength: 1, maxLength: 6 }), filler, (parts, end) => {
        const password = parts.flat().join("") + end
        expect(isMadeOfNames(password, known)).toBe(true)
        expect(isMadeOfNames(`${password}q`, known)).toBe(false)
      }),
    )
  })

  it("a new password may be any UUID", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), async (uuid) => {
        expect(await paramOf(uuid)).toBe("fine")
      }),
    )
  })
})
