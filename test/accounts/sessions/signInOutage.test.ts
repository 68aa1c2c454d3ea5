import { Effect } from "effect"
import { Redis } from "ioredis"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { limits } from "../../../schema/limits.ts"
import { trustCookieName } from "../../../src/http/contract/cookies.ts"
import { type Browser, makeBrowser } from "../../e2e/support/accountBrowser.ts"
import { type Service, startService } from "../../support/service.ts"
import { type Account, codeNow, makeAccount } from "../twoFactor/twoFactorFixture.ts"
import { accountsOn, refusal, routes } from "../twoFactor/twoFactorStage.ts"

let service: Service
let redis: Redis
const accounts = accountsOn(() => service)
beforeAll(async () => {
  service = await startService({ env: { TRUSTED_PROXIES: "127.0.0.1,::1", PASSWORD_COST: "12" } })
  redis = new Redis(service.redisUrl)
})
afterAll(async () => {
  await redis?.quit()
  await service?.stop()
})
/** Empties the rate limits, as if a minute had passed. */
const forgetRates = async () => {
  const keys = await redis.keys("rate:*")
  if (keys.length > 0) await redis.del(keys)
}
beforeEach(forgetRates)

const signInPath = "/v1/me/auth/sign-in/email"
const recoveryPath = "/v1/me/auth/two-factor/recovery/request"
const resetPath = "/v1/me/auth/request-password-reset"
const from = (ipAddress: string): Browser => makeBrowser(service.url, { "X-Forwarded-For": ipAddress })
const owners = "198.51.100.7"

const signIn = (browser: Browser, { user }: Account, password: string) =>
  browser.send("POST", signInPath, { body: { email: user.email, password } })
const policyOf = ({ headers }: { readonly headers: Headers }) => headers.get("ratelimit-policy")

/** Sends a stranger's wrong tries at an account until the quota of its e-mail address is empty. */
const exhaust = async (path: string, { user }: Account, ipOf: (index: number) => string) => {
  const answers = await Promise.all(
    Array.from({ length: 2 * limits.signInsPerMinute }, (_, index) =>
      from(ipOf(index)).send("POST", path, { body: { email: user.email, password: "a wrong password" } }),
    ),
  )
  assert.include(
    answers.map(({ status }) => status),
    429,
  )
}
const fresh = (index: number) => `203.0.${index}.1`

describe("a stranger's wrong tries", () => {
  it("a stranger's wrong tries do not lock the owner out at an address that it signed in from before", async () => {
    const account = await accounts.account({ isOn: false })
    const first = await signIn(from(owners), account, account.password)
    assert.strictEqual(first.status, 200, first.text)
    assert.match(policyOf(first) ?? "", /^"sign-in/)

    await exhaust(signInPath, account, fresh)
    const stranger = await signIn(from("192.0.2.1"), account, account.password)
    assert.deepStrictEqual(refusal(stranger), [429, "rate_limited"])
    const again = await signIn(from(owners), account, account.password)
    assert.strictEqual(again.status, 200, again.text)
    assert.strictEqual(policyOf(again), '"sign-in-device";q=5;w=60')
  })

  it("a stranger's wrong tries do not lock the owner out on a trusted device, even from its own address", async () => {
    const account = await accounts.account()
    const browser = await accounts.pending(account.user)
    await browser.must("POST", routes.verifyTotp, {
      body: { code: codeNow(account.secret), trustDevice: true },
    })
    const device = from("192.0.2.33")
    device.setCookie(trustCookieName, browser.cookie(trustCookieName) ?? "")
    await exhaust(signInPath, account, () => "192.0.2.33")
    const answer = await signIn(device, account, account.password)
    assert.strictEqual(answer.status, 200, answer.text)
    // Another user's cookie makes it no device of this user.
    const other = await accounts.account()
    await exhaust(signInPath, other, fresh)
    assert.deepStrictEqual(refusal(await signIn(device, other, other.password)), [429, "rate_limited"])
  })

  it("a stranger's wrong tries keep the owner neither from a password reset nor from a recovery", async () => {
    const account = await accounts.account({ isOn: false })
    assert.strictEqual((await signIn(from(owners), account, account.password)).status, 200)
    for (const path of [resetPath, recoveryPath]) {
      await exhaust(path, account, fresh)
      const body = { email: account.user.email, password: account.password }
      const stranger = await from("192.0.2.1").send("POST", path, { body })
      assert.deepStrictEqual(refusal(stranger), [429, "rate_limited"])
      const answer = await from(owners).send("POST", path, { body })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.match(policyOf(answer) ?? "", /-device";q=5;w=60$/)
    }
  })
})

describe("a stranger with the password", () => {
  it("a stranger with the password neither locks the owner's device out with wrong codes nor uses up its tries", async () => {
    const account = await accounts.account()
    const { user, backupCodes } = account
    const first = await accounts.pending(user, {}, from(owners))
    await first.must("POST", routes.verifyBackupCode, { body: { code: backupCodes[0] } })
    await forgetRates()

    // Each sign-in has five codes; the second one's last make the stranger wait.
    for (const expected of [
      ...([
        [401, "invalid_mfa_code"],
        [401, "invalid_mfa_code"],
        [429, "rate_limited"],
      ] as const),
    ]) {
      const stranger = await accounts.pending(user, {}, from("192.0.2.1"))
      const answers = []
      for (let sent = 0; sent < limits.pendingSignInWrongCodesMax; sent += 1) {
        answers.push(await stranger.send("POST", routes.verifyTotp, { body: { code: "000" } }))
      }
      assert.deepStrictEqual(refusal(answers[0] ?? assert.fail()), expected)
      await forgetRates()
      const sixth = await stranger.send("POST", routes.verifyTotp, { body: { code: "000" } })
      if (expected[0] === 401) assert.deepStrictEqual(refusal(sixth), [401, "session_required"])
      await forgetRates()
    }
    const stranger = await accounts.pending(user, {}, from("192.0.2.1"))
    const refused = await stranger.send<{ readonly error: { readonly details: unknown } }>(
      ...(["POST", routes.verifyBackupCode, { body: { code: backupCodes[1] } }] as const),
    )
    assert.deepStrictEqual(refused.body.error.details, { reason: "too_many_wrong_codes" })
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d?$/)

    const owner = await accounts.pending(user, {}, from(owners))
    await owner.must("POST", routes.verifyBackupCode, { body: { code: backupCodes[1] } })
  })
})

describe("a known device", () => {
  it("a known device has five tries a minute of its own, including those it made as a stranger", async () => {
    const account = await accounts.account({ isOn: false })
    const answers = [await signIn(from(owners), account, account.password)]
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 9 }, () => signIn(from(owners), account, "a wrong password")),
      )),
    )
    const statuses = answers.map(({ status }) => status)
    assert.strictEqual(statuses[0], 200)
    const tried = statuses.filter((status) => status !== 429).length
    assert.isAtLeast(tried, 5)
    // On a slow machine the quota may regain one try meanwhile.
    assert.isAtMost(tried, 6)
  })
})

describe("one network", () => {
  it("a network has a quota besides those of its addresses", async () => {
    const most = limits.signInsPerMinute * limits.networkTriesFactorIpv6
    const stage = { redisUrl: service.redisUrl, encryptionKey: service.encryptionKey }
    const many = await accounts.run(
      Effect.forEach(Array.from({ length: most + 10 }), () => makeAccount(stage, { isOn: false })),
    )
    const tryFrom = (site: string, account: Account, index: number) =>
      signIn(from(`2001:db8:${site}:${index.toString(16)}::1`), account, "a wrong password")
    const answers = await Promise.all(many.map((account, index) => tryFrom("aa", account, index)))
    const refused = answers.filter(({ status }) => status === 429)
    assert.isAtLeast(refused.length, 1)
    assert.isAtMost(refused.length, 10)
    for (const answer of refused)
      assert.strictEqual(policyOf(answer), `"sign-in-address-network";q=${most};w=60`)
    const [account] = many
    if (account === undefined) throw new Error("there is no account")
    assert.strictEqual((await tryFrom("ab", account, 1)).status, 401)
  })
})
