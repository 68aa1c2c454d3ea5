import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import { codeNow } from "../accounts/twoFactor/twoFactorFixture.ts"
import { accountsOn, routes } from "../accounts/twoFactor/twoFactorStage.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { makeSeller } from "../support/seller.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import { forgetRates, tokenIn } from "./support/accountPeople.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { mailsTo, type StoredMail } from "./support/mails.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

let stage: Stage
let receiver: TlsReceiver
beforeAll(async () => {
  receiver = await startTlsReceiver()
  const settings = { TRUSTED_PROXIES: "127.0.0.1,::1", LOG_LEVEL: "info" }
  stage = await openStage({ ...settings, ...receiverSettings(receiver) })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})
beforeEach(() => forgetRates(stage))

const accounts = accountsOn(() => stage.service)

/** The newest mail of a purpose, once `count` of them have been sent, and no more. */
const mailed = async (email: string, wanted: string, count = 1): Promise<StoredMail> => {
  const found = async () => (await mailsTo(stage, email)).filter(({ purpose }) => purpose === wanted)
  await until(`mail ${count} of ${wanted} to ${email}`, async () => (await found()).length >= count)
  const mails = await found()
  expect(mails).toHaveLength(count)
  return mails.at(-1) as StoredMail
}

/** A seller's user, signed in and stepped up. */
const owner = async () => {
  const { id: sellerId } = await makeSeller(stage.service)
  const { email, userId, token } = await signInAsSeller(stage.service, sellerId)
  const browser = makeBrowser(stage.service.url)
  browser.setCookie(sessionCookieName, token)
  return { browser, email, userId }
}

const from = (ipAddress: string, userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0") =>
  makeBrowser(stage.service.url, { "X-Forwarded-For": ipAddress, "User-Agent": userAgent })
const signInPath = "/v1/me/auth/sign-in/email"

/** Signs in with both steps. */
const signIn = async (
  { email, password, secret }: { email: string; password: string; secret: string },
  browser: Browser,
  step: 0 | 1 = 0,
  trustDevice = false,
) => {
  await browser.must("POST", signInPath, { body: { email, password } })
  await browser.must("POST", routes.verifyTotp, { body: { code: codeNow(secret, step), trustDevice } })
}

const linkPattern = /https?:|www\.|\w\.(?:com|example)\b/

describe("security notices by mail", () => {
  it("a new API key is mailed to the user by its prefix alone, and a rotated one is mailed too", async () => {
    const { browser, email } = await owner()
    const name = "Visit https://evil.example now"
    const made = await browser.must<{ id: string; key: string; key_prefix: string }>(
      "POST",
      "/v1/me/api-keys",
      {
        body: { name, mode: "test" },
      },
    )
    const mail = await mailed(email, "api_key_created")
    expect(mail.text).toContain(made.key_prefix)
    expect(mail.text).not.toContain(made.key)
    expect(mail.text).not.toMatch(linkPattern)
    await browser.must("POST", `/v1/me/api-keys/${made.id}/rotate`)
    await mailed(email, "api_key_created", 2)
  })

  it("a new PIX key is mailed to the user with its value masked", async () => {
    const { browser, email } = await owner()
    const body = { type: "email", value: "ana.secret@bank.example" }
    await browser.must("POST", "/v1/me/pix-keys", { body, headers: { "X-Mode": "test" } })
    const { text } = await mailed(email, "pix_key_created")
    expect(text).toContain("a***@bank.example")
    expect(text).not.toContain("secret")
  })

  it("turning 2FA on is mailed to the user", async () => {
    const pendingSecret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    const { user } = await accounts.account({ isOn: false, pendingSecret })
    const browser = await accounts.signedIn(user)
    await browser.must("POST", routes.verifyTotp, { body: { code: codeNow(pendingSecret) } })
    await mailed(user.email, "two_factor_enabled")
  })

  it("new backup codes and turning 2FA off are mailed to the user and logged", async () => {
    const { user, password } = await accounts.account()
    const browser = await accounts.signedIn(user, { mfaVerifiedUntilMillis: Date.now() + 600_000 })
    await browser.must("POST", routes.generate, { body: { password } })
    await mailed(user.email, "backup_codes_replaced")
    await browser.must("POST", routes.disable, { body: { password } })
    await mailed(user.email, "two_factor_disabled")
    const { log } = stage.service
    await until("a log line", () => log().includes("Revoked: 2FA turned off"))
    expect(log()).toMatch(/Revoked: replaced\s.*credential: backup codes/s)
  })

  it("a completed password reset is mailed to the user, without a link", async () => {
    const { user } = await accounts.account()
    await from("10.1.0.1").must("POST", "/v1/me/auth/request-password-reset", { body: { email: user.email } })
    const token = tokenIn((await mailed(user.email, "reset_password")).text)
    await from("10.1.0.2").must("POST", "/v1/me/auth/reset-password", {
      body: { token, newPassword: "a quite different battery" },
    })
    const { text } = await mailed(user.email, "password_reset")
    expect(text).not.toMatch(linkPattern)
  })

  it("a 2FA recovery is mailed to the user, with the time until which withdrawals are locked", async () => {
    const { id: sellerId } = await makeSeller(stage.service)
    const { user, password } = await accounts.account({ sellerId })
    const { email } = user
    await from("10.1.0.3").must("POST", "/v1/me/auth/two-factor/recovery/request", {
      body: { email, password },
    })
    const token = tokenIn((await mailed(email, "recover_two_factor")).text)
    await from("10.1.0.3").must("POST", "/v1/me/auth/two-factor/recovery/confirm", { body: { token } })
    const { text } = await mailed(email, "two_factor_recovered")
    expect(text).toMatch(/bloqueados até \d\d\/\d\d\/\d{4}/)
    expect(text).not.toMatch(linkPattern)
  })
})

describe("a sign-in from a new device", () => {
  it("a sign-in from a new device is mailed with its address and our own name for the device", async () => {
    const { user, password, secret } = await accounts.account()
    const person = { email: user.email, password, secret }
    await signIn(person, from("198.51.100.7", "Call https://evil.example Firefox/140.0 (X11; Linux)"))
    const { text } = await mailed(user.email, "new_device")
    expect(text).toContain("198.51.100.7")
    expect(text).toContain("Firefox, Linux")
    expect(text).not.toMatch(linkPattern)
  })

  it("a sign-in from a new device is told in the seller's chat too where it wants that, each once", async () => {
    const { id: sellerId } = await makeSeller(stage.service)
    const { cookie } = await signInAsSeller(stage.service, sellerId)
    const alert = { when: "new_sign_in", mail: true, url: `${receiver.origin}/chat` }
    const set = await dashboardClient(stage.service.url, { cookie }).send("PUT", "/v1/me/notifications", {
      data: [alert],
    })
    expect(set.status).toBe(200)
    const { user, password, secret } = await accounts.account({ sellerId })
    const person = { email: user.email, password, secret }
    await signIn(person, from("198.51.100.17", "Call https://evil.example Firefox/140.0 (X11; Linux)"))
    await receiver.waitFor(1)
    await mailed(user.email, "new_device")
    const { text } = JSON.parse(receiver.requests[0]?.body ?? "") as { readonly text: string }
    expect(text).toMatch(/^Novo acesso à sua conta\n/)
    expect(text).toContain("Dispositivo: Firefox, Linux")
    expect(text).not.toContain("evil.example")
    await signIn(person, from("198.51.100.17"), 1)
    expect(receiver.requests).toHaveLength(1)
    await mailed(user.email, "new_device")
    expect((await mailsTo(stage, user.email)).map(({ purpose }) => purpose)).toEqual(["new_device"])
  })

  it("a sign-in from a new address counts as a new device, by the first 64 bits of IPv6", async () => {
    const { user, password } = await accounts.account({ isOn: false })
    const body = { email: user.email, password }
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"]) {
      await from(address).must("POST", signInPath, { body })
    }
    const { text } = await mailed(user.email, "new_device", 2)
    expect(text).toContain("2001:db8:1:3::1")
  })

  it("a sign-in from a trusted device is not mailed, from whatever address", async () => {
    const { user, password, secret } = await accounts.account()
    const browser = from("198.51.100.8")
    await signIn({ email: user.email, password, secret }, browser, 0, true)
    await mailed(user.email, "new_device")
    const elsewhere = { headers: { "X-Forwarded-For": "203.0.113.5" }, body: { email: user.email, password } }
    expect(await browser.must("POST", signInPath, elsewhere)).toMatchObject({ user: { id: user.id } })
    await signIn({ email: user.email, password, secret }, from("203.0.113.6"), 1)
    const { text } = await mailed(user.email, "new_device", 2)
    expect(text).toContain("203.0.113.6")
  })

  it("a sign-in from a new device is mailed without 2FA too, but not with a wrong password", async () => {
    const { user, password } = await accounts.account({ isOn: false })
    const body = { email: user.email, password: "a wrong password" }
    expect((await from("198.51.100.9").send("POST", signInPath, { body })).status).toBe(401)
    await from("198.51.100.10").must("POST", signInPath, { body: { ...body, password } })
    expect((await mailed(user.email, "new_device")).text).toContain("198.51.100.10")
  })
})

describe("security events in the log", () => {
  /** The lines of the log that name a user. */
  const linesOf = (userId: string) => {
    const entries = stage.service.log().split(/\n(?=\[)/)
    return entries.filter((entry) => entry.includes(userId))
  }

  it("failed sign-ins and refused step-ups are logged with the reason and nothing that was typed", async () => {
    const { user, password } = await accounts.account()
    const { email, id } = user
    const unknown = "nobody-at-all@example.com"
    const ask = (body: object) => from("198.51.100.11").send("POST", signInPath, { body })
    expect((await ask({ email, password: "not my password" })).status).toBe(401)
    expect((await ask({ email: unknown, password: "not my password" })).status).toBe(401)
    const browser = from("198.51.100.11")
    await browser.must("POST", signInPath, { body: { email, password } })
    expect((await browser.send("POST", routes.verifyTotp, { body: { code: "000000" } })).status).toBe(401)
    const session = await accounts.signedIn(user)
    expect((await session.send("POST", routes.stepUp, { body: { code: "000001" } })).status).toBe(401)
    expect(
      (await session.send("POST", routes.stepUp, { body: { code: "000001", password: "wrong pass" } }))
        .status,
    ).toBe(401)

    await until("log lines", () => linesOf(id).length >= 5)
    const lines = linesOf(id).join("\n")
    expect(lines).toContain("Sign-in failed: wrong_password")
    expect(lines).toContain("The second step of a sign-in failed: wrong_code")
    expect(lines).toContain("A step-up failed: wrong_code")
    expect(lines).toContain("A step-up failed: wrong_password")
    expect(lines).toContain("198.51.100.11")
    expect(stage.service.log()).toContain("Sign-in failed: unknown_email")
    for (const typed of [unknown, email, "not my password", "wrong pass", "000000", "000001"]) {
      expect(stage.service.log()).not.toContain(typed)
    }
  })

  it("sign-ins over the rate limit are logged", async () => {
    const { user } = await accounts.account()
    const body = { email: user.email, password: "not my password" }
    const statuses = []
    for (let i = 0; i < 6; i++) {
      statuses.push((await from("198.51.100.12").send("POST", signInPath, { body })).status)
    }
    expect(statuses).toContain(429)
    await until("a log line", () => stage.service.log().includes("Sign-in failed: too_many_tries"))
  })

  it("revoked API keys, sessions and postback secrets are logged with their user and the reason", async () => {
    const { browser, userId } = await owner()
    const { id } = await browser.must<{ id: string }>("POST", "/v1/me/api-keys", {
      body: { name: "Shop", mode: "test" },
    })
    await browser.must("DELETE", `/v1/me/api-keys/${id}`, { headers: { "X-Mode": "test" } })
    const { data } = await browser.must<{ data: ReadonlyArray<{ id: string }> }>("GET", "/v1/me/sessions")
    await browser.must("POST", "/v1/me/postback-secret/rotate")
    const [ended] = data
    await browser.must("DELETE", `/v1/me/sessions/${ended?.id}`)
    await until("log lines", () => linesOf(userId).length >= 3)
    const lines = linesOf(userId).join("\n")
    expect(lines).toMatch(/Revoked: deleted\s.*credential: API key/s)
    expect(lines).toContain(id)
    expect(lines).toMatch(/Revoked: ended by its user\s.*credential: session/s)
    expect(lines).toContain(ended?.id)
    expect(lines).toMatch(/Revoked: rotated\s.*credential: postback secret/s)
  })
})
