import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { userKey } from "../../src/store/keys.ts"
import { until } from "../support/until.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  makeOperator,
  makeSellerPerson,
  opsOn,
  type Person,
  signInWith2fa,
  signUp,
  verifyTotpPath,
} from "./support/accountPeople.ts"
import { makeAuthenticator } from "./support/accountTotp.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const enablePath = "/v1/me/auth/two-factor/enable"
const prefsPath = "/v1/me/security/step-up-prefs"
const keysPath = "/v1/me/api-keys"

interface Refused {
  readonly error: { readonly code: string; readonly param?: string }
}
interface Begun {
  readonly totpURI: string
  readonly backupCodes: ReadonlyArray<string>
}

/** Sends a request, and returns its status with the code of a refusal. */
const ask = async (browser: Browser, method: string, path: string, body: unknown) => {
  await forgetRates(stage)
  const answer = await browser.send<Refused>(method, path, { body })
  return answer.status < 300 ? [answer.status] : [answer.status, answer.body.error.code]
}

/** The code that was mailed to an address last, once there is one. */
const mailedCode = async (email: string): Promise<string> => {
  let code = ""
  await until(`a code for ${email}`, async () => {
    const { data } = await opsOn<{ readonly data: ReadonlyArray<Record<string, string>> }>(stage, "mail")
    const mail = data.find(({ to, purpose }) => to === email && purpose === "two_factor_code")
    code = /^\d{4} \d{4}$/m.exec(mail?.text ?? "")?.[0] ?? ""
    return code !== ""
  })
  return code
}

const secretIn = (uri: string): string => new URL(uri).searchParams.get("secret") ?? ""

/** Turns 2FA on where no code has to be mailed. */
const enrol = async (browser: Browser, password: string) => {
  await forgetRates(stage)
  const { totpURI } = await browser.must<Begun>("POST", enablePath, { body: { password } })
  const authenticator = makeAuthenticator(secretIn(totpURI))
  await browser.must("POST", verifyTotpPath, { body: { code: await authenticator.next() } })
  return authenticator
}

/** Signs in on a trusted device, so that nothing is stepped up. */
const onTrustedDevice = async (person: Person): Promise<Browser> => {
  const { browser, needsSecondStep } = await beginSignIn(stage, person, await signInWith2fa(stage, person))
  expect(needsSecondStep).toBe(false)
  return browser
}

describe("a password without a second factor", () => {
  it("a thief with the password enrols no second factor, and the owner does with a mailed code", async () => {
    const { email, password, userId } = await signUp(stage)
    const signedUp = Date.now() - limits.enrolmentWithoutMailMillis - 1_000
    await stage.redis("HSET", userKey(userId), "created_at", String(signedUp))
    const { browser } = await beginSignIn(stage, { email, password })
    expect(await ask(browser, "POST", enablePath, { password })).toEqual([403, "mail_code_required"])
    const guess = { password, mail_code: "0000 0000" }
    expect(await ask(browser, "POST", enablePath, guess)).toEqual([401, "invalid_mfa_code"])
    expect(await ask(browser, "POST", verifyTotpPath, { code: "123456" })).toEqual([403, "mfa_required"])

    const mail_code = await mailedCode(email)
    await forgetRates(stage)
    const { totpURI } = await browser.must<Begun>("POST", enablePath, { body: { password, mail_code } })
    const before = Date.now()
    const code = await makeAuthenticator(secretIn(totpURI)).next()
    await browser.must("POST", verifyTotpPath, { body: { code } })
    const { payout_locked_until } = await browser.must<{ readonly payout_locked_until: string }>(
      "GET",
      "/v1/me/seller",
    )
    expect(Date.parse(payout_locked_until)).toBeGreaterThanOrEqual(before + limits.recoveryLockMillis)
    expect(await ask(browser, "POST", keysPath, { name: "Loja", mode: "test" })).toEqual([201])
  })

  it("preferences spare nobody without a second factor a step-up", async () => {
    const { email, password, browser } = await signUp(stage)
    await enrol(browser, password)
    await browser.must("PUT", prefsPath, { body: { webhook: false, account: false } })
    expect(await ask(browser, "PATCH", "/v1/me/seller", { name: "Loja da Ana" })).toEqual([200])
    await browser.must("POST", "/v1/me/auth/two-factor/disable", { body: { password } })
    const thief = (await beginSignIn(stage, { email, password })).browser
    for (const [method, path, body] of [
      ["PATCH", "/v1/me/seller", { name: "Loja do Ladrão" }],
      ["POST", keysPath, { name: "Loja", mode: "live" }],
      ["POST", keysPath, { name: "Loja", mode: "test" }],
      ["POST", "/v1/me/webhook-endpoints", { url: "https://thief.example", events: ["*"] }],
    ] as const) {
      expect(await ask(thief, method, path, body)).toEqual([403, "mfa_required"])
    }
  })
})

describe("a first live key", () => {
  it("a first live key needs a step-up whatever the preference says, and a later one does not", async () => {
    const person = await makeSellerPerson(stage)
    const owner = await signInWith2fa(stage, person)
    await owner.must("PUT", prefsPath, { body: { account: false } })
    const browser = await onTrustedDevice(person)
    const live = { name: "Loja", mode: "live" }
    expect(await ask(browser, "POST", keysPath, live)).toEqual([201])
    const { data } = await browser.must<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(
      "GET",
      keysPath,
    )
    for (const { id } of data) await browser.must("DELETE", `${keysPath}/${id}`)
    expect(await ask(browser, "POST", keysPath, live)).toEqual([403, "mfa_required"])
    expect(await ask(browser, "POST", keysPath, { ...live, mode: "test" })).toEqual([201])
    await browser.must("POST", "/v1/me/auth/step-up", { body: { code: await person.authenticator.next() } })
    expect(await ask(browser, "POST", keysPath, live)).toEqual([201])
  })
})

describe("an operator's second factor", () => {
  it("an operator's second factor is neither turned on nor off over HTTP", async () => {
    const operator = await makeOperator(stage)
    const browser = await signInWith2fa(stage, operator)
    const { password } = operator
    const disablePath = "/v1/me/auth/two-factor/disable"
    expect(await ask(browser, "POST", disablePath, { password })).toEqual([403, "permission_denied"])
    await stage.redis("HSET", userKey(operator.userId), "two_factor_enabled", "0")
    const alone = await beginSignIn(stage, operator, makeBrowser(stage.service.url))
    expect(alone.needsSecondStep).toBe(false)
    expect(await ask(alone.browser, "POST", enablePath, { password })).toEqual([403, "permission_denied"])
    expect(await ask(alone.browser, "POST", enablePath, { password, mail_code: "12345678" })).toEqual([
      ...[403, "permission_denied"],
    ])
  })
})
