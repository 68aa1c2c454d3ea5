import { describe, expect, it } from "vitest"
import { deviceOf, groupedSecret, nextPage, readCode } from "../../web/src/pages/account/rules.ts"

describe("where a sign-in leads", () => {
  it("follows a page below /app with its query", () => {
    expect(nextPage("/charges/txn_1?status=paid&q=a%20b")).toBe("/charges/txn_1?status=paid&q=a%20b")
    expect(nextPage("/")).toBe("/")
  })

  it.each([
    null,
    "",
    "charges",
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/../v1/me/sessions",
    "/%2e%2e/v1/me/sessions",
    "/charges/../../docs",
    ".evil.example",
    "@evil.example/charges",
    "javascript:alert(1)",
    "/sign-in?next=/sign-in",
    "/sign-in/",
    "/sign-up",
    "/verify-email",
  ])("leads to the first page instead of %s", (wanted) => {
    expect(nextPage(wanted)).toBe("/")
  })
})

describe("codes", () => {
  it("six digits are of the authenticator, with spaces too; anything else is a backup code", () => {
    expect(readCode("123 456")).toEqual({ kind: "totp", code: "123456" })
    expect(readCode(" 123456 ")).toEqual({ kind: "totp", code: "123456" })
    expect(readCode("12345")).toEqual({ kind: "backup", code: "12345" })
    expect(readCode("1234567")).toEqual({ kind: "backup", code: "1234567" })
    expect(readCode(" a1b2c-3d4e5 ")).toEqual({ kind: "backup", code: "a1b2c-3d4e5" })
  })

  it("the secret of an authenticator is shown in groups of four", () => {
    expect(
      groupedSecret("otpauth://totp/Corrente:a%40b.example?secret=JBSWY3DPEHPK3PXPAB&issuer=Corrente"),
    ).toBe("JBSW Y3DP EHPK 3PXP AB")
  })
})

describe("devices of sessions", () => {
  it("are named in our own words, whatever the header says", () => {
    const chrome =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
    expect(deviceOf(chrome, "unknown")).toBe("Chrome · Linux")
    expect(deviceOf("<b>hostile</b>", "unknown")).toBe("unknown")
    expect(deviceOf(null, "unknown")).toBe("unknown")
  })
})
