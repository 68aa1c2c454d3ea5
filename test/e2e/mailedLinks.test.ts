import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { hashToken } from "../../src/accounts/users/accountTokenStore.ts"
import { type MailServer, type ReceivedMail, startMailServer } from "../support/mailServer.ts"
import { type Service, startService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  freshEmail,
  makeOperator,
  makeSellerPerson,
  opsOn,
  signInWith2fa,
  tokenIn,
} from "./support/accountPeople.ts"
import { findSecrets } from "./support/accountSecrets.ts"
import type { Answer } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"

const auth = "/v1/me/auth"
const paths = {
  verify: `${auth}/verify-email`,
  requestReset: `${auth}/request-password-reset`,
  reset: `${auth}/reset-password`,
  requestRecovery: `${auth}/two-factor/recovery/request`,
  recover: `${auth}/two-factor/recovery/confirm`,
} as const
const dashboard = "https://dash.example.com"
const dayMillis = 24 * 60 * 60 * 1000
const noToken = `00${"a".repeat(43)}`

let mailServer: MailServer
let stage: Stage
/** A second process on the same Redis. */
let other: Service
beforeAll(async () => {
  mailServer = await startMailServer()
  const settings = {
    SMTP_URL: mailServer.url,
    TRUSTED_PROXIES: "127.0.0.1,::1",
    DASHBOARD_ORIGINS: dashboard,
  }
  stage = await openStage({ ...settings, LOG_LEVEL: "trace" })
  const ENCRYPTION_KEY = Buffer.from(stage.service.encryptionKey).toString("base64")
  other = await startService({
    redisUrl: stage.service.redisUrl,
    env: { ...settings, ENCRYPTION_KEY, LOG_LEVEL: "warn" },
  })
})
afterAll(async () => {
  await other?.stop()
  await stage?.close()
  await mailServer?.stop()
})
beforeEach(() => forgetRates(stage))

let addresses = 0
/** A browser with a client address of its own, which limits per address count separately. */
const someone = (origin = stage.service.url, ipAddress = `10.0.${addresses >> 8}.${addresses++ & 255}`) =>
  makeBrowser(origin, { "X-Forwarded-For": ipAddress })
const post = (path: string, body: object, browser: Browser = someone()) =>
  browser.send("POST", path, { body })

const codeOf = ({ status, body }: Answer<unknown>) => {
  const { error } = body as { readonly error?: { readonly code: string; readonly param?: string } }
  return error?.param === undefined ? `${status} ${error?.code}` : `${status} ${error.code} ${error.param}`
}
const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/\S+/.exec(text)?.[0] ?? ""
/** Mails with a link: notices of what was done have none. */
const mailsTo = (email: string) =>
  mailServer.mails.filter((mail) => mail.to.includes(email) && linkIn(mail) !== "")

/** Runs what sends a mail, waits until it arrives, and returns it. */
const mailed = async (email: string, act: () => Promise<unknown>): Promise<ReceivedMail> => {
  const before = mailsTo(email).length
  await act()
  await until(`a mail to ${email}`, () => mailsTo(email).length > before)
  const mail = mailsTo(email).at(-1)
  if (mail === undefined) throw new Error(`no mail to ${email}`)
  return mail
}
const resetToken = async (email: string) =>
  tokenIn((await mailed(email, () => post(paths.requestReset, { email }))).text)
const recoveryToken = async (email: string, password: string) =>
  tokenIn((await mailed(email, () => post(paths.requestRecovery, { email, password }))).text)

/** Somebody who has just signed up, without 2FA, and the mail that verifies the address. */
const newcomer = async () => {
  const email = freshEmail("ana")
  const password = `correct horse ${email}`
  const target = { service: stage.service, settings: { SMTP_URL: mailServer.url } }
  const ops = () => opsOn<{ readonly token: string }>(target, "invite", "create", "--email", email)
  let invite_token = ""
  const invite = await mailed(email, async () => {
    invite_token = (await ops()).token
  })
  const browser = someone()
  const body = { name: "Ana Souza", email, password, accept_terms: true, invite_token }
  const verification = await mailed(email, () => browser.must("POST", `${auth}/sign-up/email`, { body }))
  return { email, password, browser, verification, invite }
}

/** The status that each process answers a browser's session with: 200 while the session lasts. */
const sessionStatuses = (browser: Browser) =>
  Promise.all(
    [stage.service.url, other.url].map(async (origin) => {
      const headers = { Cookie: browser.cookieHeader() }
      return (await fetch(`${origin}/v1/me/sessions`, { headers })).status
    }),
  )

const readers: Readonly<Record<string, (key: string) => readonly [string, ...Array<string | number>]>> = {
  string: (key) => ["GET", key],
  hash: (key) => ["HGETALL", key],
  list: (key) => ["LRANGE", key, 0, -1],
  set: (key) => ["SMEMBERS", key],
  zset: (key) => ["ZRANGE", key, 0, -1],
  stream: (key) => ["XRANGE", key, "-", "+"],
}
/** Every key in Redis and its content, as text. */
const allOfRedis = async (): Promise<string> => {
  const keys = (await stage.redis("KEYS", "*")) as ReadonlyArray<string>
  const contents = keys.map(async (key) => {
    const type = String(await stage.redis("TYPE", key))
    const read = readers[type]
    if (read === undefined)
      return type === "none"
        ? ""
        : Promise.reject(new Error(`${key} is of type ${type}, which nothing here reads`))
    return `${key} ${JSON.stringify(await stage.redis(...read(key)))}`
  })
  return (await Promise.all(contents)).join("\n")
}

describe("the e-mail verification link", () => {
  it("a mailed link verifies the e-mail address once, in any process, and refuses a foreign callbackURL", async () => {
    const { browser, verification } = await newcomer()
    const session = () => browser.must<{ user: { emailVerified: boolean } }>("GET", `${auth}/get-session`)
    expect((await session()).user.emailVerified).toBe(false)
    const token = tokenIn(verification.text)
    expect(linkIn(verification)).toBe(`${stage.service.url}/app/verify-email?token=${token}`)
    const path = `${paths.verify}?token=${token}`
    const foreign = await someone().send("GET", `${path}&callbackURL=https://evil.example/`)
    expect(codeOf(foreign)).toBe("400 validation_failed callbackURL")
    // A mail program opens the link without our cookies.
    const used = await someone(other.url).send("GET", `${path}&callbackURL=${dashboard}/done`)
    expect([used.status, used.body]).toEqual([200, { status: true }])
    expect((await session()).user.emailVerified).toBe(true)
    expect(codeOf(await someone().send("GET", path))).toBe("400 validation_failed token")
  })

  it("an e-mail verification without a valid token is refused", async () => {
    for (const token of [noToken, "garbage", `${noToken}x`, "%00", ""]) {
      const answer = await someone().send("GET", `${paths.verify}?token=${token}`)
      expect([token, codeOf(answer)]).toEqual([token, "400 validation_failed token"])
    }
    expect(codeOf(await someone().send("GET", paths.verify))).toBe("400 validation_failed token")
  })
})

describe("a password reset", () => {
  it("a reset request is answered alike for every address, and mailed only to those with an account", async () => {
    const { email } = await newcomer()
    const stranger = freshEmail("nobody")
    const unknown = await post(paths.requestReset, { email: stranger })
    let known = unknown
    await mailed(email, async () => {
      known = await post(paths.requestReset, { email: email.toUpperCase() })
    })
    for (const { status, text } of [unknown, known]) expect([status, text]).toEqual([200, '{"status":true}'])
    const namesOf = ({ headers }: Answer<unknown>) => [...headers.keys()]
    expect(namesOf(unknown)).toEqual(namesOf(known))
    expect(mailsTo(stranger)).toEqual([])
  })

  it("a password reset works once, ends sessions in every process, and retires the old password", async () => {
    const { email, password, browser, verification } = await newcomer()
    const { browser: second } = await beginSignIn(stage, { email, password }, someone(other.url))
    const [first, outstanding] = [await resetToken(email), await resetToken(email)]
    const newPassword = "a wholly new password"
    const short = await post(paths.reset, { token: first, newPassword: "x".repeat(11) })
    expect(codeOf(short)).toBe("400 validation_failed newPassword")
    expect(await sessionStatuses(second)).toEqual([200, 200])

    const done = await post(paths.reset, { token: first, newPassword }, browser)
    expect([done.status, done.body]).toEqual([200, { status: true }])
    expect(done.headers.getSetCookie().join()).toMatch(/^lm\.session=;.*Max-Age=0/)
    expect(await sessionStatuses(second)).toEqual([401, 401])
    const attempt = (tried: string) => post(`${auth}/sign-in/email`, { email, password: tried })
    expect(codeOf(await attempt(password))).toBe("401 invalid_credentials")
    const signedIn = await attempt(newPassword)
    // The mailed token has proved the address.
    expect(signedIn.body).toMatchObject({ user: { emailVerified: true } })
    for (const token of [first, outstanding, noToken, "garbage", tokenIn(verification.text)]) {
      const again = await post(
        paths.reset,
        { token, newPassword: "yet another password" },
        someone(other.url),
      )
      expect(codeOf(again)).toBe("400 validation_failed token")
    }
    expect((await attempt(newPassword)).status).toBe(200)
  })
})

describe("recovery of the second factor", () => {
  it("a recovery request is answered alike for all, and mailed only to 2FA sellers with the right password", async () => {
    const person = await makeSellerPerson(stage)
    const operator = await makeOperator(stage)
    const plain = await newcomer()
    const stranger = freshEmail("nobody")
    const mailsBefore = mailsTo(plain.email).length
    const refused = [
      { email: person.email, password: "a wrong password" },
      { email: stranger, password: person.password },
      { email: plain.email, password: plain.password },
      { email: operator.email, password: operator.password },
    ]
    for (const body of refused) {
      const { status, text } = await post(paths.requestRecovery, body)
      expect([status, text]).toEqual([200, '{"status":true}'])
    }
    await mailed(person.email, async () => {
      const { email, password } = person
      const { status, text } = await post(paths.requestRecovery, { email, password })
      expect([status, text]).toEqual([200, '{"status":true}'])
    })
    const counts = [person.email, stranger, plain.email, operator.email].map((email) => mailsTo(email).length)
    expect(counts).toEqual([1, 0, mailsBefore, 0])
  })

  it("a recovery turns 2FA off once, ends all sessions, and locks withdrawals for a day", async () => {
    const person = await makeSellerPerson(stage)
    const { email, password } = person
    const browser = await signInWith2fa(stage, person, someone())
    const lockedUntil = async (of: Browser) =>
      (await of.must<{ readonly payout_locked_until: string | null }>("GET", "/v1/me/seller"))
        .payout_locked_until
    const [token, outstanding] = [await recoveryToken(email, password), await recoveryToken(email, password)]
    const swapped = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A")
    for (const wrong of [noToken, swapped, "garbage", await resetToken(email)]) {
      expect(codeOf(await post(paths.recover, { token: wrong }))).toBe("401 invalid_mfa_code token")
    }
    expect(await lockedUntil(browser)).toBeNull()
    expect(await sessionStatuses(browser)).toEqual([200, 200])

    const earliest = Date.now() + dayMillis
    const done = await someone(other.url).send<{ readonly withdrawals_locked_until: string }>(
      "POST",
      paths.recover,
      { body: { token } },
    )
    const latest = Date.now() + dayMillis
    expect(done.status).toBe(200)
    const until = Date.parse(done.body.withdrawals_locked_until)
    expect(until).toBeGreaterThanOrEqual(earliest)
    expect(until).toBeLessThanOrEqual(latest)
    expect(await sessionStatuses(browser)).toEqual([401, 401])
    const after = await beginSignIn(stage, person, someone())
    expect(after.needsSecondStep).toBe(false)
    expect(await lockedUntil(after.browser)).toBe(done.body.withdrawals_locked_until)
    for (const used of [token, outstanding]) {
      expect(codeOf(await post(paths.recover, { token: used }))).toBe("401 invalid_mfa_code token")
    }
    expect(await lockedUntil(after.browser)).toBe(done.body.withdrawals_locked_until)
    expect(await sessionStatuses(after.browser)).toEqual([200, 200])
  })
})

describe("the page a mailed link leads to", () => {
  const foreign = [
    "https://evil.example/",
    "//evil.example",
    `${dashboard}.evil.example`,
    "javascript:alert(1)",
  ]

  it("a link's page on another site is refused, whether or not the address has an account", async () => {
    const { email, password } = await makeSellerPerson(stage)
    for (const page of foreign) {
      for (const who of [email, freshEmail("nobody")]) {
        await forgetRates(stage)
        const reset = await post(paths.requestReset, { email: who, redirectTo: page })
        expect([page, codeOf(reset)]).toEqual([page, "400 validation_failed redirectTo"])
        const recovery = await post(paths.requestRecovery, { email: who, password, redirect_to: page })
        expect([page, codeOf(recovery)]).toEqual([page, "400 validation_failed redirect_to"])
      }
    }
    expect(mailsTo(email)).toEqual([])
  })

  it("links lead to pages of the service, which act on nothing before they are used", async () => {
    const { email, invite } = await newcomer()
    const token = tokenIn(invite.text)
    // The command that invites names the address that all processes make links to.
    expect(linkIn(invite)).toBe(`${stage.service.url}/app/sign-up?invite_token=${token}`)
    const person = await makeSellerPerson(stage)
    const recovery = await mailed(person.email, () => post(paths.requestRecovery, person))
    const page = linkIn(recovery)
    expect(page).toBe(`${stage.service.url}/app/two-factor-recovery?token=${tokenIn(recovery.text)}`)
    // Programs that scan mails open their links.
    expect((await fetch(page)).status).toBe(200)
    expect((await post(paths.recover, { token: tokenIn(recovery.text) })).status).toBe(200)
    const reset = await mailed(email, () => post(paths.requestReset, { email }))
    expect(linkIn(reset)).toBe(`${stage.service.url}/app/reset-password?token=${tokenIn(reset.text)}`)
  })

  it("a mailed link leads to the dashboard page asked for, and to the service where none is named", async () => {
    const { email, password } = await makeSellerPerson(stage)
    const redirectTo = `${dashboard}/reset?lang=pt`
    const reset = await mailed(email, () => post(paths.requestReset, { email, redirectTo }))
    expect(linkIn(reset)).toBe(`${redirectTo}&token=${tokenIn(reset.text)}`)
    const redirect_to = `${dashboard}/recover`
    const recovery = await mailed(email, () => post(paths.requestRecovery, { email, password, redirect_to }))
    expect(linkIn(recovery)).toBe(`${redirect_to}?token=${tokenIn(recovery.text)}`)
    const plain = await mailed(email, () => post(paths.requestReset, { email }))
    expect(linkIn(plain).startsWith(`${stage.service.url}/`)).toBe(true)
  })
})

describe("rate limits", () => {
  const password = "not the password of anybody"
  const rateHeaders = ({ headers }: Answer<unknown>) => [
    headers.get("RateLimit-Policy"),
    headers.get("RateLimit"),
  ]
  /** What is limited for each client address: its status within the limit, and its request. */
  const perAddress: Readonly<
    Record<string, readonly [string, (browser: Browser) => Promise<Answer<unknown>>]>
  > = {
    "password reset requests": ["200", (by) => post(paths.requestReset, { email: freshEmail("many") }, by)],
    "password resets": ["400", (by) => post(paths.reset, { token: noToken, newPassword: password }, by)],
    "2FA recovery requests": [
      "200",
      (by) => post(paths.requestRecovery, { email: freshEmail("many"), password }, by),
    ],
    "2FA recoveries": ["401", (by) => post(paths.recover, { token: noToken }, by)],
    "invite look-ups": ["404", (by) => by.send("GET", `${auth}/invites/${noToken}`)],
  }

  for (const [name, [status, request]] of Object.entries(perAddress)) {
    it(`${name} are limited to ten a minute for each client address, over all processes`, async () => {
      const from = (turn: number, ipAddress: string) =>
        request(someone(turn % 2 === 0 ? stage.service.url : other.url, ipAddress))
      // All at once: the limit refills every six seconds, and hashing ten passwords may take longer than that.
      const turns = Array.from({ length: 12 }, (_, turn) => turn)
      const answers = await Promise.all(turns.map((turn) => from(turn, "203.0.113.5")))
      // Where too many passwords wait to be checked, a request within the limit is refused for that.
      const isBusy = ({ status: code, text }: Answer<unknown>) =>
        code === 503 && text.includes("Too many passwords")
      const statuses = answers.map((answer) => (isBusy(answer) ? status : String(answer.status)))
      expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => status), "429", "429"])
      const refused = answers.filter((answer) => answer.status === 429)
      for (const answer of answers) {
        if (refused.includes(answer) || isBusy(answer)) continue
        const [policy, limit] = rateHeaders(answer)
        expect(policy).toMatch(/^"[a-z-]+";q=(10|5);w=60$/)
        expect(limit).toMatch(/^"[a-z-]+";r=\d+;t=\d+$/)
      }
      for (const answer of refused) {
        expect(codeOf(answer)).toBe("429 rate_limited")
        const [policy, limit] = rateHeaders(answer)
        expect(policy).toMatch(/;q=10;w=60$/)
        expect(limit).toMatch(/;r=0;t=\d+$/)
        expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0)
      }
      expect(String((await from(1, "203.0.113.6")).status)).toBe(status)
    })
  }

  for (const [name, path] of [
    ["password reset", paths.requestReset],
    ["2FA recovery", paths.requestRecovery],
  ] as const) {
    it(`${name} requests are limited to five a minute for each e-mail address, known or not`, async () => {
      const person = await makeSellerPerson(stage)
      for (const email of [person.email, freshEmail("nobody")]) {
        const ask = (as: string, turn: number) =>
          post(path, { email: as, password }, someone(turn % 2 === 0 ? stage.service.url : other.url))
        for (let turn = 1; turn <= 5; turn++) {
          const answer = await ask(email, turn)
          expect(answer.status).toBe(200)
          expect(rateHeaders(answer)).toEqual([
            expect.stringMatching(/;q=5;w=60$/),
            expect.stringMatching(new RegExp(`;r=${5 - turn};t=\\d+$`)),
          ])
        }
        const sixth = await ask(email.toUpperCase(), 6)
        expect(codeOf(sixth)).toBe("429 rate_limited")
        expect(rateHeaders(sixth)).toEqual([
          expect.stringMatching(/;q=5;w=60$/),
          expect.stringMatching(/;r=0;t=\d+$/),
        ])
        expect(sixth.text).not.toContain(email)
      }
    })
  }

  it("a request refused for its redirect page reports the rate limit too", async () => {
    const answer = await post(paths.requestReset, {
      email: freshEmail("a"),
      redirectTo: "https://evil.example",
    })
    expect(answer.status).toBe(400)
    expect(rateHeaders(answer)).toEqual([expect.stringMatching(/;q=5;w=60$/), expect.stringMatching(/;r=4;/)])
  })
})

describe("the mail server", () => {
  it("mailed tokens reach the mail server alone: neither Redis nor the log has one, nor a mail stream", async () => {
    const { verification, invite, email } = await newcomer()
    const person = await makeSellerPerson(stage)
    const tokens = {
      "an invite's token": tokenIn(invite.text),
      "a verification's token": tokenIn(verification.text),
      "a reset's token": await resetToken(email),
      "a recovery's token": await recoveryToken(person.email, person.password),
    }
    expect(new Set(Object.values(tokens)).size).toBe(4)
    const held = await allOfRedis()
    expect(findSecrets(held, tokens)).toEqual([])
    // The search does cover the place where they are kept, as hashes.
    for (const token of [
      tokens["a verification's token"],
      tokens["a reset's token"],
      tokens["a recovery's token"],
    ]) {
      expect(held).toContain(hashToken(token))
    }
    expect(await stage.redis("EXISTS", "mail")).toBe(0)
    expect(findSecrets(stage.service.log(), tokens)).toEqual([])
    expect(stage.service.log()).not.toContain(email)
  })

  it("an unavailable mail server changes no answer, and gets the mails once it is back", async () => {
    const person = await makeSellerPerson(stage)
    const { email, password } = person
    const { port } = mailServer
    await mailServer.stop()
    const reset = await post(paths.requestReset, { email })
    const recovery = await post(paths.requestRecovery, { email, password })
    for (const { status, text } of [reset, recovery]) expect([status, text]).toEqual([200, '{"status":true}'])
    mailServer = await startMailServer({ port })
    await until("both mails", () => mailsTo(email).length === 2)
  })
})
