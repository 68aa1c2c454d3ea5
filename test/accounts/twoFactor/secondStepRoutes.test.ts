import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import { pendingCookieName, trustCookieName } from "../../../src/http/contract/cookies.ts"
import { makeBrowser } from "../../e2e/support/accountBrowser.ts"
import { type Service, startService } from "../../support/service.ts"
import { codeNow } from "./twoFactorFixture.ts"
import { accountsOn, cookieSet, exceed, refusal, routes } from "./twoFactorStage.ts"

let service: Service
/** Another process on the same Redis. */
let second: Service
const accounts = accountsOn(() => service)
beforeAll(async () => {
  service = await startService()
  const ENCRYPTION_KEY = Buffer.from(service.encryptionKey).toString("base64")
  second = await startService({ redisUrl: service.redisUrl, env: { ENCRYPTION_KEY } })
})
afterAll(async () => {
  await second?.stop()
  await service?.stop()
})

const base = ["httponly", "path=/", "samesite=lax"]
const lasting = (millis: number) => ["httponly", `max-age=${millis / 1_000}`, "path=/", "samesite=lax"]

interface UserAnswer {
  readonly user: Readonly<Record<string, unknown>>
}

describe("the second step of a sign-in", () => {
  it("an authenticator's code completes a sign-in: it answers the user and sets the session's cookie", async () => {
    const { user, secret } = await accounts.account()
    const browser = await accounts.pending(user)
    const answer = await browser.send<UserAnswer>("POST", routes.verifyTotp, {
      body: { code: ` ${codeNow(secret).slice(0, 3)} ${codeNow(secret).slice(3)}` },
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(Object.keys(answer.body), ["user"])
    const { id, email, twoFactorEnabled, role } = answer.body.user
    assert.deepStrictEqual([id, email, twoFactorEnabled, role], [user.id, user.email, true, "seller"])
    assert.deepStrictEqual(cookieSet(answer, sessionCookieName), base)
    assert.deepStrictEqual(cookieSet(answer, pendingCookieName), lasting(0))
    assert.isUndefined(cookieSet(answer, trustCookieName))
    assert.strictEqual(answer.headers.get("ratelimit-policy"), '"second-factor";q=5;w=60')
    assert.match(answer.headers.get("ratelimit") ?? "", /^"second-factor";r=4;t=12$/)
    assert.notInclude(answer.text, browser.cookie(sessionCookieName) ?? "no session")

    // The code counts as the session's step-up.
    const changed = await browser.send("PUT", routes.prefs, { body: { webhook: true } })
    assert.strictEqual(changed.status, 200, changed.text)
  })

  it("a second step keeps the session 30 days if the first step asked, and trusts the device if it asks", async () => {
    const { user, secret } = await accounts.account()
    const browser = await accounts.pending(user, { rememberMe: true })
    const answer = await browser.send("POST", routes.verifyTotp, {
      body: { code: codeNow(secret), trustDevice: true },
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.deepStrictEqual(cookieSet(answer, sessionCookieName), lasting(limits.rememberedSessionMillis))
    assert.deepStrictEqual(cookieSet(answer, trustCookieName), lasting(limits.trustedDeviceMillis))
  })

  it("a second step takes each backup code once, however it is typed", async () => {
    const { user, backupCodes } = await accounts.account()
    const [code = ""] = backupCodes
    const typed = code.toUpperCase().replace("-", " ")
    const browser = await accounts.pending(user)
    const answer = await browser.send<UserAnswer>("POST", routes.verifyBackupCode, {
      body: { code: typed, trustDevice: true },
    })
    assert.strictEqual(answer.status, 200, answer.text)
    assert.strictEqual(answer.body.user.id, user.id)
    assert.deepStrictEqual(cookieSet(answer, sessionCookieName), base)
    assert.deepStrictEqual(cookieSet(answer, trustCookieName), lasting(limits.trustedDeviceMillis))
    const again = await (await accounts.pending(user)).send("POST", routes.verifyBackupCode, {
      body: { code },
    })
    assert.deepStrictEqual(refusal(again), [401, "invalid_mfa_code"])
  })

  it("a second step takes no code of the other kind, and stays pending after wrong ones", async () => {
    const { user, secret, backupCodes } = await accounts.account()
    const browser = await accounts.pending(user)
    for (const [route, code] of [
      [routes.verifyTotp, backupCodes[0]],
      [routes.verifyBackupCode, codeNow(secret)],
      [routes.verifyTotp, "12345"],
    ] as const) {
      const refused = await browser.send("POST", route, { body: { code } })
      assert.deepStrictEqual(refusal(refused), [401, "invalid_mfa_code"])
      assert.isUndefined(cookieSet(refused, sessionCookieName))
      assert.match(refused.headers.get("ratelimit") ?? "", /^"second-factor";r=[0-4];/)
    }
    const answer = await browser.send("POST", routes.verifyTotp, { body: { code: codeNow(secret) } })
    assert.strictEqual(answer.status, 200, answer.text)
  })

  it("a pending sign-in's credential opens nothing else, and is worth nothing once it is used", async () => {
    const { user, secret } = await accounts.account()
    const browser = await accounts.pending(user)
    const pendingToken = browser.cookie(pendingCookieName) ?? ""
    browser.setCookie(sessionCookieName, pendingToken)
    assert.deepStrictEqual(refusal(await browser.send("GET", routes.prefs)), [401, "session_required"])
    browser.forgetCookie(sessionCookieName)
    await browser.must("POST", routes.verifyTotp, { body: { code: codeNow(secret) } })
    const thief = makeBrowser(service.url)
    thief.setCookie(pendingCookieName, pendingToken)
    const late = await thief.send("POST", routes.verifyTotp, { body: { code: codeNow(secret, 1) } })
    assert.deepStrictEqual(refusal(late), [401, "session_required"])
  })

  it("a second step replaces a session that the browser has, even another user's", async () => {
    const [ana, bia] = [await accounts.account(), await accounts.account()]
    const browser = await accounts.pending(ana.user, {}, await accounts.signedIn(bia.user))
    const before = browser.cookie(sessionCookieName)
    const { user } = await browser.must<UserAnswer>("POST", routes.verifyTotp, {
      body: { code: codeNow(ana.secret) },
    })
    assert.strictEqual(user.id, ana.user.id)
    assert.notStrictEqual(browser.cookie(sessionCookieName), before)
  })

  it("a second step is 401 without a pending sign-in, after its five minutes, and after a new password", async () => {
    const { user, secret } = await accounts.account()
    const body = { code: codeNow(secret) }
    const browsers = [
      makeBrowser(service.url),
      await accounts.pending(user, { expiresAtMillis: Date.now() - 1 }),
      await accounts.pending({ ...user, passwordHash: "before" }),
    ]
    for (const browser of browsers) {
      for (const route of [routes.verifyTotp, routes.verifyBackupCode]) {
        assert.deepStrictEqual(refusal(await browser.send("POST", route, { body })), [
          401,
          "session_required",
        ])
      }
    }
  })

  it("a second step refuses pages of other sites, and bodies without a code", async () => {
    const { user, secret } = await accounts.account()
    const browser = await accounts.pending(user)
    for (const route of [routes.verifyTotp, routes.verifyBackupCode]) {
      const foreign = await browser.send("POST", route, {
        body: { code: codeNow(secret) },
        headers: { origin: "https://evil.example" },
      })
      assert.deepStrictEqual(refusal(foreign), [403, "origin_not_allowed"])
      for (const body of [{}, { code: 123456 }]) {
        assert.deepStrictEqual(refusal(await browser.send("POST", route, { body })), [
          ...[400, "validation_failed", "code"],
        ])
      }
      const trust = await browser.send("POST", route, { body: { code: "1", trustDevice: "yes" } })
      assert.deepStrictEqual(refusal(trust), [400, "validation_failed", "trustDevice"])
    }
  })

  it("a user may try five codes a minute, over both routes, whatever others try", async () => {
    const [ana, bia] = [await accounts.account(), await accounts.account()]
    const browser = await accounts.pending(ana.user)
    const refused = await exceed((index) =>
      browser.send("POST", index % 2 === 0 ? routes.verifyTotp : routes.verifyBackupCode, {
        body: { code: "000" },
      }),
    )
    for (const answer of refused) {
      assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
      assert.match(answer.headers.get("retry-after") ?? "", /^(?:[1-9]|1[0-2])$/)
      assert.match(answer.headers.get("ratelimit") ?? "", /^"second-factor";r=0;t=\d+$/)
    }
    const other = await accounts.pending(bia.user)
    const answer = await other.send("POST", routes.verifyTotp, { body: { code: codeNow(bia.secret) } })
    assert.strictEqual(answer.status, 200, answer.text)
  })

  for (const kind of ["totp", "backup"] as const) {
    it(`only one of a hundred requests at once with one ${kind} code, to two processes, succeeds`, async () => {
      const { user, secret, backupCodes } = await accounts.account()
      const route = kind === "totp" ? routes.verifyTotp : routes.verifyBackupCode
      const code = kind === "totp" ? codeNow(secret) : (backupCodes[0] ?? "")
      const cookie = (await accounts.pending(user)).cookieHeader()
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          makeBrowser(index % 2 === 0 ? service.url : second.url).send("POST", route, {
            body: { code },
            headers: { cookie },
          }),
        ),
      )
      const [done, ...others] = answers.toSorted((a, b) => a.status - b.status)
      assert.strictEqual(done?.status, 200)
      for (const other of others) assert.include([401, 429], other.status, other.text)
    })
  }
})

describe("a code sent with a session", () => {
  it("a code sent with a session steps it up where 2FA is on", async () => {
    for (const kind of ["totp", "backup"] as const) {
      const { user, secret, backupCodes } = await accounts.account()
      const browser = await accounts.signedIn(user)
      const before = browser.cookie(sessionCookieName)
      const prefs = () => browser.send("PUT", routes.prefs, { body: {} })
      assert.deepStrictEqual(refusal(await prefs()), [403, "mfa_required"])
      const route = kind === "totp" ? routes.verifyTotp : routes.verifyBackupCode
      const code = kind === "totp" ? codeNow(secret) : backupCodes[0]
      const answer = await browser.send<UserAnswer>("POST", route, { body: { code } })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.body.user.id, user.id)
      assert.notStrictEqual(browser.cookie(sessionCookieName), before)
      assert.strictEqual((await prefs()).status, 200)
      const again = await browser.send("POST", route, { body: { code } })
      assert.deepStrictEqual(refusal(again), [401, "invalid_mfa_code"])
    }
  })

  it("a code sent with a session is 403 mfa_required where 2FA is off and is not being enabled", async () => {
    const { user } = await accounts.account({ isOn: false })
    const browser = await accounts.signedIn(user)
    for (const [route, code] of [
      [routes.verifyTotp, "123456"],
      [routes.verifyBackupCode, "01234-56789"],
    ]) {
      const refused = await browser.send("POST", route ?? "", { body: { code } })
      assert.deepStrictEqual(refusal(refused), [403, "mfa_required"])
      assert.strictEqual(refused.headers.get("x-mfa-step-up"), "required")
    }
  })
})

describe("a sign-in with 2FA", () => {
  const signInPath = "/v1/me/auth/sign-in/email"
  const getSessionPath = "/v1/me/auth/get-session"

  it("a sign-in with 2FA has two steps, and one on a trusted device until the second factor changes", async () => {
    const { user, password, secret, backupCodes } = await accounts.account()
    const browser = makeBrowser(service.url)
    const credentials = { email: user.email, password, rememberMe: true }
    const first = await browser.must("POST", signInPath, { body: credentials })
    assert.deepStrictEqual(first, { twoFactorRedirect: true, twoFactorMethods: ["totp"] })
    assert.isNull(await browser.must("GET", getSessionPath))
    const second = await browser.send("POST", routes.verifyTotp, {
      body: { code: codeNow(secret), trustDevice: true },
    })
    assert.deepStrictEqual(cookieSet(second, sessionCookieName), lasting(limits.rememberedSessionMillis))
    const session = await browser.must<UserAnswer>("GET", getSessionPath)
    assert.strictEqual(session.user.id, user.id)

    // The device is trusted, but what it begins is not stepped up.
    browser.forgetCookie(sessionCookieName)
    const again = await browser.must<UserAnswer>("POST", signInPath, { body: credentials })
    assert.strictEqual(again.user.id, user.id)
    assert.deepStrictEqual(refusal(await browser.send("PUT", routes.prefs, { body: {} })), [
      ...[403, "mfa_required"],
    ])

    // Turned off and on again, 2FA has another secret, and the device is as any other.
    const trust = browser.cookie(trustCookieName) ?? ""
    await browser.must("POST", routes.stepUp, { body: { code: backupCodes[0] } })
    await browser.must("POST", routes.disable, { body: { password } })
    assert.isUndefined(browser.cookie(trustCookieName))
    await browser.must("POST", signInPath, { body: credentials })
    const { totpURI } = await browser.must<{ totpURI: string }>("POST", routes.enable, { body: { password } })
    const code = codeNow(new URL(totpURI).searchParams.get("secret") ?? "")
    await browser.must("POST", routes.verifyTotp, { body: { code } })
    const device = makeBrowser(service.url)
    device.setCookie(trustCookieName, trust)
    const untrusted = await device.must<object>("POST", signInPath, { body: credentials })
    assert.property(untrusted, "twoFactorRedirect")
  })
})
