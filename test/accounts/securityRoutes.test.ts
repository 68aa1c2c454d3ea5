import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import { limits } from "../../schema/limits.ts"
import { pendingCookieName, trustCookieName } from "../../src/http/contract/cookies.ts"
import { makeBrowser } from "../e2e/support/accountBrowser.ts"
import { type Service, startService } from "../support/service.ts"
import { codeNow, steppedUp } from "./twoFactor/twoFactorFixture.ts"
import { accountsOn, cookieSet, exceed, refusal, routes } from "./twoFactor/twoFactorStage.ts"

let service: Service
const accounts = accountsOn(() => service)
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

interface Enabled {
  readonly method: string
  readonly totpURI: string
  readonly backupCodes: ReadonlyArray<string>
}
const secretIn = (uri: string) => new URL(uri).searchParams.get("secret") ?? ""
const wrong = { password: "not the password" }

describe("turning 2FA on", () => {
  it("enabling 2FA answers a TOTP URI and ten backup codes, which count once verify-totp took a code", async () => {
    const { user, password } = await accounts.account({ isOn: false })
    const browser = await accounts.signedIn(user)
    for (const method of ["totp", "otp", undefined]) {
      const answer = await browser.send<Enabled>("POST", routes.enable, { body: { password, method } })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(Object.keys(answer.body), ["method", "totpURI", "backupCodes"])
      assert.strictEqual(answer.body.method, "totp")
      assert.match(answer.body.totpURI, /^otpauth:\/\/totp\/Corrente:/)
      assert.strictEqual(new Set(answer.body.backupCodes).size, limits.backupCodesCount)
      assert.match(answer.headers.get("ratelimit") ?? "", /^"password";r=[0-4];t=\d+$/)
    }
    const last = await browser.must<Enabled>("POST", routes.enable, { body: { password } })
    const early = await browser.send("POST", routes.verifyBackupCode, { body: { code: last.backupCodes[0] } })
    assert.deepStrictEqual(refusal(early), [403, "mfa_required"])
    const wrongCode = await browser.send("POST", routes.verifyTotp, { body: { code: "12345" } })
    assert.deepStrictEqual(refusal(wrongCode), [401, "invalid_mfa_code"])

    const body = { code: codeNow(secretIn(last.totpURI)), trustDevice: true }
    const done = await browser.send<{ user: { twoFactorEnabled: boolean } }>("POST", routes.verifyTotp, {
      body,
    })
    assert.strictEqual(done.status, 200, done.text)
    assert.isTrue(done.body.user.twoFactorEnabled)
    assert.isDefined(cookieSet(done, trustCookieName))
    // The code counts as the session's step-up.
    assert.strictEqual((await browser.send("PUT", routes.prefs, { body: {} })).status, 200)
    const again = await browser.send("POST", routes.enable, { body: { password } })
    assert.deepStrictEqual(refusal(again), [409, "invalid_state"])
    const pending = await accounts.pending(user)
    await pending.must("POST", routes.verifyBackupCode, { body: { code: last.backupCodes[9] } })
  })
})

describe("routes that need the password", () => {
  const all = [routes.enable, routes.disable, routes.generate]

  it("routes that need the password refuse a wrong or missing one, no session, and other sites", async () => {
    const { user, password } = await accounts.account()
    const browser = await accounts.signedIn(user, steppedUp())
    for (const route of all) {
      assert.deepStrictEqual(refusal(await browser.send("POST", route, { body: wrong })), [
        ...[401, "invalid_credentials"],
      ])
      assert.deepStrictEqual(refusal(await browser.send("POST", route, { body: {} })), [
        ...[400, "validation_failed", "password"],
      ])
      const body = { password }
      const foreign = await browser.send("POST", route, { body, headers: { "sec-fetch-site": "cross-site" } })
      assert.deepStrictEqual(refusal(foreign), [403, "origin_not_allowed"])
      const nobody = await makeBrowser(service.url).send("POST", route, { body })
      assert.deepStrictEqual(refusal(nobody), [401, "session_required"])
    }
    const method = await browser.send("POST", routes.enable, { body: { password, method: "sms" } })
    assert.deepStrictEqual(refusal(method), [400, "validation_failed", "method"])
  })

  it("disabling 2FA and making backup codes answer 403 with X-MFA-Step-Up until the session is stepped up", async () => {
    const { user, password, secret } = await accounts.account()
    const browser = await accounts.signedIn(user)
    for (const route of [routes.disable, routes.generate]) {
      const refused = await browser.send("POST", route, { body: { password } })
      assert.deepStrictEqual(refusal(refused), [403, "mfa_required"])
      assert.strictEqual(refused.headers.get("x-mfa-step-up"), "required")
    }
    await browser.must("POST", routes.stepUp, { body: { code: codeNow(secret) } })
    const { backupCodes } = await browser.must<Enabled>("POST", routes.generate, { body: { password } })
    for (const route of [routes.stepUp, routes.verifyBackupCode]) {
      const own = await browser.send("POST", route, { body: { code: backupCodes[0] } })
      assert.deepStrictEqual(refusal(own), [401, "invalid_mfa_code"])
    }
    await browser.must("POST", routes.disable, { body: { password } })
  })

  it("a user has five password tries a minute, right or wrong, over all routes that need it", async () => {
    const { user, password } = await accounts.account({ isOn: false })
    const browser = await accounts.signedIn(user)
    const refused = await exceed((index) =>
      browser.send("POST", all[index % 3] ?? "", { body: index < 3 ? { password } : wrong }),
    )
    for (const answer of refused) {
      assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
      assert.match(answer.headers.get("retry-after") ?? "", /^(?:[1-9]|1[0-2])$/)
    }
  })

  it("a password sent with a step-up is one of the five tries a minute", async () => {
    const { user } = await accounts.account()
    const browser = await accounts.signedIn(user)
    const refused = await exceed((index) => {
      const [route, body] =
        index % 2 === 0 ? [routes.enable, wrong] : [routes.stepUp, { ...wrong, code: "000000" }]
      return browser.send("POST", route, { body })
    })
    for (const answer of refused) {
      assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
      assert.match(answer.headers.get("ratelimit") ?? "", /^"password";r=0;t=\d+$/)
    }
  })

  it("disabling 2FA and making backup codes answer 409 where 2FA is off", async () => {
    const { user, password } = await accounts.account({ isOn: false })
    const browser = await accounts.signedIn(user)
    for (const route of [routes.disable, routes.generate]) {
      const refused = await browser.send("POST", route, { body: { password } })
      assert.deepStrictEqual(refusal(refused), [409, "invalid_state"])
    }
    assert.strictEqual((await browser.send("GET", routes.prefs)).status, 200)
  })
})

describe("turning 2FA off", () => {
  it("disabling 2FA ends all sessions and pending sign-ins, and clears the cookies", async () => {
    const { user, password, secret } = await accounts.account()
    const browser = await accounts.signedIn(user, steppedUp())
    const [other, pending] = [await accounts.signedIn(user), await accounts.pending(user)]
    const cookies = browser.cookieHeader()
    const answer = await browser.send("POST", routes.disable, { body: { password } })
    assert.deepStrictEqual([answer.status, answer.body as unknown], [200, { status: true }])
    for (const name of [sessionCookieName, trustCookieName]) {
      assert.include(cookieSet(answer, name) ?? [], "max-age=0")
    }
    const stolen = await makeBrowser(service.url).send("GET", routes.prefs, { headers: { cookie: cookies } })
    for (const ended of [stolen, await other.send("GET", routes.prefs)]) {
      assert.deepStrictEqual(refusal(ended), [401, "session_required"])
    }
    const late = await pending.send("POST", routes.verifyTotp, { body: { code: codeNow(secret) } })
    assert.deepStrictEqual(refusal(late), [401, "session_required"])
    assert.isDefined(pending.cookie(pendingCookieName))
  })
})

describe("new backup codes", () => {
  it("generating backup codes makes ten new ones and ends the old ones", async () => {
    const { user, password, backupCodes: old } = await accounts.account()
    const browser = await accounts.signedIn(user, steppedUp())
    const { backupCodes } = await browser.must<{ backupCodes: ReadonlyArray<string> }>(
      "POST",
      routes.generate,
      {
        body: { password },
      },
    )
    assert.strictEqual(new Set([...backupCodes, ...old]).size, 2 * limits.backupCodesCount)
    const pending = await accounts.pending(user)
    const refused = await pending.send("POST", routes.verifyBackupCode, { body: { code: old[0] } })
    assert.deepStrictEqual(refusal(refused), [401, "invalid_mfa_code"])
    await pending.must("POST", routes.verifyBackupCode, { body: { code: backupCodes[0] } })
  })
})

describe("a step-up", () => {
  const stepUp = { mfa_verified_until: "" }

  it("a step-up by either kind of code lasts ten minutes, for its own session alone", async () => {
    const { user, secret, backupCodes } = await accounts.account()
    const other = await accounts.signedIn(user)
    for (const code of [codeNow(secret), backupCodes[2]]) {
      const browser = await accounts.signedIn(user)
      const before = Date.now()
      const answer = await browser.send<typeof stepUp>("POST", routes.stepUp, { body: { code } })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(Object.keys(answer.body), ["mfa_verified_until"])
      assert.match(answer.body.mfa_verified_until, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const lastsMillis = Date.parse(answer.body.mfa_verified_until) - before
      assert.isAtLeast(lastsMillis, limits.stepUpMillis)
      assert.match(answer.headers.get("ratelimit") ?? "", /^"second-factor";r=[0-4];/)
      assert.strictEqual((await browser.send("PUT", routes.prefs, { body: {} })).status, 200)
      const again = await browser.send("POST", routes.stepUp, { body: { code } })
      assert.deepStrictEqual(refusal(again), [401, "invalid_mfa_code"])
    }
    const refused = await other.send("PUT", routes.prefs, { body: {} })
    assert.deepStrictEqual(refusal(refused), [403, "mfa_required"])
    assert.strictEqual(refused.headers.get("x-mfa-step-up"), "required")
  })

  it("a step-up no longer counts once its time has passed", async () => {
    const { user } = await accounts.account()
    const ended = await accounts.signedIn(user, { mfaVerifiedUntilMillis: Date.now() })
    assert.strictEqual((await ended.send("PUT", routes.prefs, { body: {} })).status, 403)
    const lasts = await accounts.signedIn(user, { mfaVerifiedUntilMillis: Date.now() + 60_000 })
    assert.strictEqual((await lasts.send("PUT", routes.prefs, { body: {} })).status, 200)
  })

  it("a step-up needs the right code, and the right password where one is sent", async () => {
    const { user, password, secret } = await accounts.account()
    const browser = await accounts.signedIn(user)
    const code = codeNow(secret)
    const ask = (body: object) => browser.send("POST", routes.stepUp, { body })
    assert.deepStrictEqual(refusal(await ask({ password })), [400, "validation_failed", "code"])
    assert.deepStrictEqual(refusal(await ask({ code: "12345" })), [401, "invalid_mfa_code"])
    assert.deepStrictEqual(refusal(await ask({ code, ...wrong })), [401, "invalid_credentials"])
    assert.deepStrictEqual(refusal(await ask({ code, password: "" })), [400, "validation_failed", "password"])
    const done = await ask({ code, password })
    assert.strictEqual(done.status, 200, done.text)
  })

  it("a step-up answers 403 where 2FA is off, 401 without a session, and 429 past five tries a minute", async () => {
    const off = await accounts.signedIn((await accounts.account({ isOn: false })).user)
    const refused = await off.send("POST", routes.stepUp, { body: { code: "123456" } })
    assert.deepStrictEqual(refusal(refused), [403, "mfa_required"])
    assert.strictEqual(refused.headers.get("x-mfa-step-up"), "required")
    const nobody = await makeBrowser(service.url).send("POST", routes.stepUp, { body: { code: "123456" } })
    assert.deepStrictEqual(refusal(nobody), [401, "session_required"])

    const browser = await accounts.signedIn((await accounts.account()).user)
    const beyond = await exceed(() => browser.send("POST", routes.stepUp, { body: { code: "000" } }))
    for (const answer of beyond) {
      assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
      assert.match(answer.headers.get("retry-after") ?? "", /^(?:[1-9]|1[0-2])$/)
    }
  })
})

describe("step-up preferences", () => {
  it("step-up preferences start true, and changing them needs a step-up even where both are off", async () => {
    const { user } = await accounts.account()
    const plain = await accounts.signedIn(user)
    const steppedUp = await accounts.signedIn(user, { mfaVerifiedUntilMillis: Date.now() + 60_000 })
    assert.deepStrictEqual(await plain.must("GET", routes.prefs), { webhook: true, account: true })
    const off = await steppedUp.must("PUT", routes.prefs, { body: { webhook: false, account: false } })
    assert.deepStrictEqual(off, { webhook: false, account: false })
    assert.deepStrictEqual(await plain.must("GET", routes.prefs), { webhook: false, account: false })
    const refused = await plain.send("PUT", routes.prefs, { body: { webhook: true } })
    assert.deepStrictEqual(refusal(refused), [403, "mfa_required"])
    const one = await steppedUp.must("PUT", routes.prefs, { body: { account: true } })
    assert.deepStrictEqual(one, { webhook: false, account: true })
    const invalid = await steppedUp.send("PUT", routes.prefs, { body: { webhook: "no" } })
    assert.deepStrictEqual(refusal(invalid), [400, "validation_failed", "webhook"])
    const nobody = await makeBrowser(service.url).send("GET", routes.prefs)
    assert.deepStrictEqual(refusal(nobody), [401, "session_required"])
  })
})
