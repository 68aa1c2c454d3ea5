import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { userKey } from "../../src/store/keys.ts"
import { runOps } from "../ops/cli.ts"
import {
  beginSignIn,
  makeOperator,
  makeSellerPerson,
  opsOn,
  type Person,
  signInWith2fa,
  verifyTotpPath,
} from "./support/accountPeople.ts"
import { makeAuthenticator } from "./support/accountTotp.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const auditPath = "/v1/admin/audit?limit=1"
const verifyBackupCodePath = "/v1/me/auth/two-factor/verify-backup-code"

interface Enrolled {
  readonly user_id: string
  readonly totp_secret: string
  readonly totp_uri: string
  readonly backup_codes: ReadonlyArray<string>
}
const reset = (email: string) => opsOn<Enrolled>(stage, "admin", "reset-two-factor", "--email", email)

/** The error that a reset fails with. */
const refusalOf = async (email: string) => {
  const done = await runOps(["admin", "reset-two-factor", "--email", email], {
    REDIS_URL: stage.service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
  })
  const { code, param } = (
    done.document as { readonly error: { readonly code: string; readonly param?: string } }
  ).error
  return [done.exitCode, code, param]
}

const withFactor = (person: Person, secret: string): Person => ({
  ...person,
  authenticator: makeAuthenticator(secret),
})

describe("ops admin reset-two-factor", () => {
  it("an operator whose factor is lost gets a new one, and sessions, trusted devices and old codes end", async () => {
    const operator = await makeOperator(stage)
    const browser = await signInWith2fa(stage, operator)
    expect((await browser.send("GET", auditPath)).status).toBe(200)

    const made = await reset(operator.email.toUpperCase())
    expect(made.user_id).toBe(operator.userId)
    expect(new URL(made.totp_uri).searchParams.get("secret")).toBe(made.totp_secret)
    expect(made.backup_codes).toHaveLength(10)
    expect((await browser.send("GET", auditPath)).status).toBe(401)

    const begun = await beginSignIn(stage, operator, browser)
    expect(begun.needsSecondStep).toBe(true)
    const old = await browser.send("POST", verifyTotpPath, {
      body: { code: await operator.authenticator.next() },
    })
    expect(old.status).toBe(401)
    const again = await signInWith2fa(stage, withFactor(operator, made.totp_secret), browser)
    const { data } = await again.must<{ readonly data: ReadonlyArray<Record<string, unknown>> }>(
      "GET",
      auditPath,
    )
    expect(data).toMatchObject([
      { action: "operator.two_factor_reset", operator_id: null, resource_id: operator.userId },
    ])
    const mails = await opsOn<{ readonly data: ReadonlyArray<Record<string, string>> }>(stage, "mail")
    const told = mails.data.filter(
      ({ to, purpose }) => to === operator.email && purpose === "two_factor_reset",
    )
    expect(told).toHaveLength(1)
    expect(told[0]?.text).not.toContain(made.totp_secret)

    const { browser: other } = await beginSignIn(stage, operator)
    await other.must("POST", verifyBackupCodePath, { body: { code: made.backup_codes[0] } })
  })

  it("an operator who has to wait after wrong codes, or has no factor, gets in again after a reset", async () => {
    const operator = await makeOperator(stage)
    await stage.redis(
      ...(["HSET", userKey(operator.userId), "stranger_tries", "50", "two_factor_enabled", "0"] as const),
      ...["stranger_tries_until", String(Date.now() + 3_600_000), "known_tries", "50"],
      ...["known_tries_until", String(Date.now() + 3_600_000)],
    )
    const { totp_secret } = await reset(operator.email)
    const browser = await signInWith2fa(stage, withFactor(operator, totp_secret))
    expect((await browser.send("GET", auditPath)).status).toBe(200)
  })

  it("a seller's second factor and an unknown address are refused, and nothing is logged", async () => {
    const seller = await makeSellerPerson(stage)
    const before = await stage.redis("XLEN", "audit")
    expect(await refusalOf(seller.email)).toEqual([1, "invalid_state", "email"])
    expect(await refusalOf("nobody@example.com")).toEqual([1, "resource_not_found", undefined])
    expect(await stage.redis("XLEN", "audit")).toBe(before)
    await signInWith2fa(stage, seller)
  })

  it("a new operator signs in with a backup code that was printed", async () => {
    const email = "new-operator@example.com"
    const password = "correct horse battery 7"
    const { backup_codes } = await opsOn<Enrolled>(
      stage,
      ...["admin", "create", "--email", email, "--password", password],
    )
    const { browser } = await beginSignIn(stage, { email, password })
    await browser.must("POST", verifyBackupCodePath, { body: { code: backup_codes[9] } })
    expect((await browser.send("GET", auditPath)).status).toBe(200)
  })
})
