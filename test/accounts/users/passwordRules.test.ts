import { describe, expect, it } from "@effect/vitest"
import { dictionary } from "@zxcvbn-ts/language-common"
import { Effect } from "effect"
import fc from "fast-check"
import { limits } from "../../../schema/limits.ts"
import { checkNewPassword } from "../../../src/accounts/users/passwordRules.ts"

const email = "ana.maria.souza@example.com"
const paramOf = (password: string, param: "password" | "newPassword" = "password") =>
  Effect.runPromise(
    checkNewPassword(param, password, email).pipe(
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

  it("a new password may be any UUID", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uuid(), async (uuid) => {
        expect(await paramOf(uuid)).toBe("fine")
      }),
    )
  })
})
