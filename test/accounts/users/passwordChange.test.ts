import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { AccountTokens } from "../../../src/accounts/users/accountTokenStore.ts"
import { trustCookieName } from "../../../src/http/contract/cookies.ts"
import { makeBrowser } from "../../e2e/support/accountBrowser.ts"
import { type Service, startService } from "../../support/service.ts"
import { codeNow, steppedUp } from "../twoFactor/twoFactorFixture.ts"
import { accountsOn, exceed, refusal, routes } from "../twoFactor/twoFactorStage.ts"

let service: Service
const accounts = accountsOn(() => service)
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

const change = "/v1/me/auth/change-password"
const revokeOthers = "/v1/me/auth/revoke-other-sessions"
const signInPath = "/v1/me/auth/sign-in/email"
const newPassword = "another horse battery"

describe("a change of password", () => {
  it("a change of password keeps the session and its step-up under a new token, and ends the others", async () => {
    const { user, password } = await accounts.account()
    const browser = await accounts.signedIn(user, steppedUp())
    const other = await accounts.signedIn(user)
    const codes = await browser.must<{ backupCodes: ReadonlyArray<string> }>("POST", routes.generate, {
      body: { password },
    })
    const before = browser.cookie(sessionCookieName)
    const body = { currentPassword: password, newPassword, revokeOtherSessions: true }
    const answer = await browser.send<{ token: null; user: { id: string } }>("POST", change, { body })
    assert.deepStrictEqual([answer.status, answer.body.token, answer.body.user.id], [200, null, user.id])
    const token = browser.cookie(sessionCookieName) ?? ""
    assert.notStrictEqual(token, before)
    assert.notInclude(answer.text, token)
    assert.deepStrictEqual(refusal(await other.send("GET", routes.prefs)), [401, "session_required"])
    assert.strictEqual((await browser.send("PUT", routes.prefs, { body: {} })).status, 200)
    const own = await browser.send("POST", routes.stepUp, { body: { code: codes.backupCodes[0] } })
    assert.deepStrictEqual(refusal(own), [401, "invalid_mfa_code"])
    const sessions = await browser.must<{ data: ReadonlyArray<object> }>("GET", "/v1/me/sessions")
    assert.strictEqual(sessions.data.length, 1)
  })

  it("a change of password ends pending sign-ins and other devices' trust, and keeps this device's", async () => {
    const { user, password, secret } = await accounts.account()
    const browser = await accounts.pending(user)
    await browser.must("POST", routes.verifyTotp, { body: { code: codeNow(secret), trustDevice: true } })
    const [pending, device] = [await accounts.pending(user), makeBrowser(service.url)]
    device.setCookie(trustCookieName, browser.cookie(trustCookieName) ?? "")
    await browser.must("POST", change, { body: { currentPassword: password, newPassword } })
    const late = await pending.send("POST", routes.verifyTotp, { body: { code: codeNow(secret, 1) } })
    assert.deepStrictEqual(refusal(late), [401, "session_required"])
    const credentials = { email: user.email, password: newPassword }
    assert.property(await device.must<object>("POST", signInPath, { body: credentials }), "twoFactorRedirect")
    assert.property(await browser.must<object>("POST", signInPath, { body: credentials }), "user")
  })

  it("a change of password is refused for a wrong or guessable password, no session, or another site", async () => {
    const { user, password } = await accounts.account()
    const browser = await accounts.signedIn(user)
    const ask = (body: object) => browser.send("POST", change, { body })
    const wrong = await ask({ currentPassword: "not the password", newPassword })
    assert.deepStrictEqual(refusal(wrong), [401, "invalid_credentials"])
    for (const bad of ["passwordpassword", user.email, "eleven char", "corrente123456"]) {
      const refused = await ask({ currentPassword: password, newPassword: bad })
      assert.deepStrictEqual(refusal(refused), [400, "validation_failed", "newPassword"])
    }
    const nobody = await makeBrowser(service.url).send("POST", change, {
      body: { currentPassword: password, newPassword },
    })
    assert.deepStrictEqual(refusal(nobody), [401, "session_required"])
    for (const route of [change, revokeOthers]) {
      const foreign = await browser.send("POST", route, {
        body: { currentPassword: password, newPassword },
        headers: { "sec-fetch-site": "cross-site" },
      })
      assert.deepStrictEqual(refusal(foreign), [403, "origin_not_allowed"])
    }
  })

  it("a user has five tries a minute to change the password", async () => {
    const { user } = await accounts.account()
    const browser = await accounts.signedIn(user)
    const refused = await exceed(() =>
      browser.send("POST", change, { body: { currentPassword: "not the password", newPassword } }),
    )
    for (const answer of refused) assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
  })
})

describe("a guessable password", () => {
  it("a reset refuses a guessable password, and its token stays good", async () => {
    const { user } = await accounts.account()
    const mailed = await accounts.run(
      Effect.flatMap(AccountTokens, (tokens) => tokens.issue(user.email, user, "reset_password", 60_000)),
    )
    const reset = (password: string) =>
      makeBrowser(service.url).send("POST", "/v1/me/auth/reset-password", {
        body: { token: mailed, newPassword: password },
      })
    for (const bad of ["passwordpassword", user.email, "corrente123456"]) {
      assert.deepStrictEqual(refusal(await reset(bad)), [400, "validation_failed", "newPassword"])
    }
    assert.strictEqual((await reset(newPassword)).status, 200)
  })
})

describe("ending all other sessions", () => {
  it("ending all other sessions keeps the one that asks, and those of other users", async () => {
    const [ana, bia] = [await accounts.account(), await accounts.account()]
    const browser = await accounts.signedIn(ana.user, steppedUp())
    const others = [await accounts.signedIn(ana.user), await accounts.signedIn(ana.user)]
    for (const other of others) {
      assert.deepStrictEqual(refusal(await other.send("POST", revokeOthers)), [403, "mfa_required"])
    }
    const stranger = await accounts.signedIn(bia.user)
    assert.deepStrictEqual(await browser.must("POST", revokeOthers), { status: true })
    for (const other of others) {
      assert.deepStrictEqual(refusal(await other.send("GET", routes.prefs)), [401, "session_required"])
    }
    for (const kept of [browser, stranger]) {
      assert.strictEqual((await kept.send("GET", routes.prefs)).status, 200)
    }
  })
})
