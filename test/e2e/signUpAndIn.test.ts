import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/service.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  forgetRates,
  freshEmail,
  invite,
  mailedToken,
  makeOperator,
  makeSellerPerson,
  makeSteppedUp,
  type SellerPerson,
  sendWhenFree,
  signInWith2fa,
  signUp,
} from "./support/accountPeople.ts"
import { openStage, type Stage } from "./support/stage.ts"

const password = "correct horse battery"
const paths = {
  signUp: "/v1/me/auth/sign-up/email",
  signIn: "/v1/me/auth/sign-in/email",
  signOut: "/v1/me/auth/sign-out",
  session: "/v1/me/auth/get-session",
  sessions: "/v1/me/sessions",
  terms: "/v1/me/terms/accept",
  invites: "/v1/admin/invites",
} as const

let stage: Stage
/** A second process on the same Redis. */
let other: Service
let seller: SellerPerson
beforeAll(async () => {
  stage = await openStage({ TRUSTED_PROXIES: "127.0.0.1,::1" })
  other = await startService({
    redisUrl: stage.service.redisUrl,
    env: {
      ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
      TRUSTED_PROXIES: "127.0.0.1,::1",
      PUBLIC_URL: "https://pay.example.com",
    },
  })
  seller = await makeSellerPerson(stage)
})
afterAll(async () => {
  await other?.stop()
  await stage?.close()
})
beforeEach(() => forgetRates(stage))

const browserFrom = (ipAddress: string, origin = stage.service.url) =>
  makeBrowser(origin, { "X-Forwarded-For": ipAddress })
const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
  const { error } = body as { readonly error?: { readonly code: string; readonly param?: string } }
  return error?.param === undefined ? `${status} ${error?.code}` : `${status} ${error.code} ${error.param}`
}
const person = (email: string, invite_token: string) => ({
  body: { name: "Ana", email, password, accept_terms: true, invite_token },
})

const signUpWhenFree = (browser: Browser, email: string, token: string) =>
  sendWhenFree(() => browser.send("POST", paths.signUp, person(email, token)))

describe("signing up", () => {
  it("signing up makes a user with a seller and a session, and uses up the invite", async () => {
    const email = freshEmail("ana")
    const token = await invite(stage, email)
    const browser = makeBrowser(stage.service.url)
    const shown = await browser.send<{ readonly email: string; readonly expires_at: string }>(
      "GET",
      `/v1/me/auth/invites/${token}`,
    )
    expect(shown.body).toEqual({ email, expires_at: expect.stringMatching(/Z$/) })
    const answer = await browser.send<{ readonly user: Record<string, unknown> }>(
      "POST",
      paths.signUp,
      person(email.toUpperCase(), token),
    )
    expect(answer.status).toBe(200)
    const { user } = answer.body
    expect(user).toMatchObject({ name: "Ana", role: "seller", emailVerified: false, twoFactorEnabled: false })
    expect(user.seller_id).toMatch(/^sel_/)
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^lm\.session=[^;]{45}; Path=\/; HttpOnly; SameSite=Lax$/),
    ])
    expect(await browser.must("GET", "/v1/me/seller")).toMatchObject({
      id: user.seller_id,
      kyc_status: "none",
    })
    expect(codeOf(await browser.send("GET", `/v1/me/auth/invites/${token}`))).toBe("404 resource_not_found")
    const again = await browserFrom("10.1.0.1").send("POST", paths.signUp, person(freshEmail("b"), token))
    expect(codeOf(again)).toBe("400 validation_failed invite_token")
  })

  it("signing up with a wrong invite, terms, password or name is refused, naming the field", async () => {
    const email = freshEmail("bia")
    const token = await invite(stage, email)
    const browser = browserFrom("10.1.0.2")
    const garbage = `${"0".repeat(26)}${"a".repeat(43)}`
    const refused: ReadonlyArray<readonly [object, string]> = [
      [person(freshEmail("else"), token).body, "400 validation_failed email"],
      [person(email, garbage).body, "400 validation_failed invite_token"],
      [person(email, `${token.slice(0, -1)}!`).body, "400 validation_failed invite_token"],
      [{ ...person(email, token).body, accept_terms: false }, "400 validation_failed accept_terms"],
      [{ ...person(email, token).body, password: "x".repeat(11) }, "400 validation_failed password"],
      [{ ...person(email, token).body, password: "x".repeat(257) }, "400 validation_failed password"],
      [{ ...person(email, token).body, password: "PasswordPassword" }, "400 validation_failed password"],
      [{ ...person(email, token).body, password: email }, "400 validation_failed password"],
      [{ ...person(email, token).body, password: "corrente123456" }, "400 validation_failed password"],
      [{ ...person(email, token).body, password: "!Ana!2026!2027" }, "400 validation_failed password"],
      [{ ...person(email, token).body, name: "" }, "400 validation_failed name"],
    ]
    for (const [body, code] of refused) {
      expect(codeOf(await browser.send("POST", paths.signUp, { body })), JSON.stringify(body)).toBe(code)
    }
    expect(await browser.send("GET", paths.session)).toMatchObject({ body: null })
  })

  it("one of 16 simultaneous sign-ups with one invite succeeds, over two processes", async () => {
    const email = freshEmail("race")
    const token = await invite(stage, email)
    const browsers = Array.from({ length: 16 }, (_, i) =>
      browserFrom(`10.2.0.${i}`, i % 2 === 0 ? stage.service.url : other.url),
    )
    const answers = await Promise.all(browsers.map((browser) => signUpWhenFree(browser, email, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const winner = browsers[answers.findIndex(({ status }) => status === 200)]
    expect((await winner?.send("GET", "/v1/me/seller"))?.status).toBe(200)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(["409 invalid_state email", "400 validation_failed invite_token"]).toContain(codeOf(answer))
    }
    const users = (await stage.redis("KEYS", "user:*")) as ReadonlyArray<string>
    const emails = await Promise.all(users.map((key) => stage.redis("HGET", key, "email")))
    expect(emails.filter((found) => found === email)).toHaveLength(1)
  })

  it("an e-mail address gets one account, even by two invites at once", async () => {
    const email = freshEmail("two")
    const tokens = [await invite(stage, email), await invite(stage, email)]
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        signUpWhenFree(browserFrom(`10.3.0.${i}`), email, tokens[i % 2] ?? ""),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const late = await browserFrom("10.3.1.1").send("POST", paths.signUp, person(email, tokens[1] ?? ""))
    expect(["409 invalid_state email", "400 validation_failed invite_token"]).toContain(codeOf(late))
  })
})

describe("an invite", () => {
  it("an operator creates, lists and revokes an invite, which then no longer works", async () => {
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    const email = freshEmail("carla")
    let made = await operator.send<{ readonly id: string }>("POST", paths.invites, { body: { email } })
    const token = await mailedToken(stage, email, "invite", async () => {
      made = await operator.send("POST", paths.invites, { body: { email } })
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ email, status: "pending", used_at: null, revoked_at: null })
    expect(made.text).not.toContain("token")
    const { data } = await operator.must<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(
      "GET",
      `${paths.invites}?status=pending&limit=1`,
    )
    expect(data.map(({ id }) => id)).toEqual([made.body.id])
    const shown = () => browserFrom("10.1.0.3").send("GET", `/v1/me/auth/invites/${token}`)
    expect((await shown()).status).toBe(200)
    expect((await operator.send("DELETE", `${paths.invites}/${made.body.id}`)).status).toBe(204)
    expect(codeOf(await shown())).toBe("404 resource_not_found")
    const late = await browserFrom("10.1.0.3").send("POST", paths.signUp, person(email, token))
    expect(codeOf(late)).toBe("400 validation_failed invite_token")
    expect(await operator.must("GET", `${paths.invites}?status=revoked&limit=1`)).toMatchObject({
      data: [{ id: made.body.id, status: "revoked" }],
    })
    const unknown = await operator.send("DELETE", `${paths.invites}/inv_00000000000000000000000000`)
    expect(codeOf(unknown)).toBe("404 resource_not_found")
    const taken = await operator.send("POST", paths.invites, { body: { email: seller.email } })
    expect(codeOf(taken)).toBe("409 invalid_state email")
    const audit = await operator.must<{ readonly data: ReadonlyArray<{ readonly action: string }> }>(
      "GET",
      "/v1/admin/audit",
    )
    expect(audit.data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["invite.created", "invite.revoked"]),
    )
  })

  it("the list of invites pages through all of a status", async () => {
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    const made: Array<string> = []
    for (let i = 0; i < 5; i++) {
      const { id } = await operator.must<{ readonly id: string }>("POST", paths.invites, {
        body: { email: freshEmail("page") },
      })
      made.unshift(id)
    }
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null && seen.length < 5) {
      const page: { data: ReadonlyArray<{ id: string }>; next_cursor: string | null } = await operator.must(
        "GET",
        `${paths.invites}?status=pending&limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      )
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(seen.slice(0, 5)).toEqual(made)
  })
})

describe("an expired invite", () => {
  it("an expired invite no longer works, and is listed as expired", async () => {
    const email = freshEmail("late")
    const token = await invite(stage, email)
    const [record = ""] = (await stage.redis(
      "KEYS",
      `invite:*:inv_${token.slice(0, 26)}`,
    )) as ReadonlyArray<string>
    await stage.redis("HSET", record, "expires_at", Date.now() - 1)
    const browser = browserFrom("10.1.0.4")
    expect(codeOf(await browser.send("GET", `/v1/me/auth/invites/${token}`))).toBe("404 resource_not_found")
    const answer = await browser.send("POST", paths.signUp, person(email, token))
    expect(codeOf(answer)).toBe("400 validation_failed invite_token")
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    expect(await operator.must("GET", `${paths.invites}?status=expired&limit=1`)).toMatchObject({
      data: [{ email, status: "expired" }],
    })
  })
})

describe("the address of an invite", () => {
  it.each([
    ...["ana@127.0.0.1", "ana@[127.0.0.1]", `${"a".repeat(65)}@example.com`, "\u0430na@example.com"],
    ...["ana@xn--80ak6aa92e.com", "\u212aate@example.com"],
  ])("an invite of %s is refused at its address", async (email) => {
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    expect(codeOf(await operator.send("POST", paths.invites, { body: { email } }))).toBe(
      "400 validation_failed email",
    )
  })
})

describe("signing in", () => {
  it("signing in gives a session of one day, or of thirty with rememberMe", async () => {
    const { email, password: own, browser: first } = await signUp(stage)
    await first.must("POST", paths.signOut)
    const browser = makeBrowser(stage.service.url)
    const cookieOf = async (rememberMe: boolean, browser: Browser) => {
      const answer = await browser.send("POST", paths.signIn, { body: { email, password: own, rememberMe } })
      expect(answer.status).toBe(200)
      return answer.headers.getSetCookie().find((line) => line.startsWith("lm.session")) ?? ""
    }
    expect(await cookieOf(false, first)).not.toContain("Max-Age")
    expect(await cookieOf(true, browser)).toContain(`Max-Age=${30 * 24 * 3600}`)
    const { data } = await browser.must<{
      readonly data: ReadonlyArray<{ readonly created_at: string; readonly expires_at: string }>
    }>("GET", paths.sessions)
    const lives = data.map(({ created_at, expires_at }) => Date.parse(expires_at) - Date.parse(created_at))
    expect(lives).toEqual([30 * 24 * 3600_000, 24 * 3600_000])
  })

  it("signing in with a wrong password or an unknown address is refused alike", async () => {
    const wrong = await browserFrom("10.4.0.1").send("POST", paths.signIn, {
      body: { email: seller.email, password },
    })
    expect(codeOf(wrong)).toBe("401 invalid_credentials")
    const unknown = await browserFrom("10.4.0.2").send("POST", paths.signIn, {
      body: { email: freshEmail("nobody"), password },
    })
    expect(codeOf(unknown)).toBe("401 invalid_credentials")
    expect(unknown.headers.getSetCookie()).toEqual([])
  })

  it("sign-ins are limited to five a minute per e-mail and per IP address, over all processes", async () => {
    const attempt = (email: string, ipAddress: string, origin: string) =>
      browserFrom(ipAddress, origin).send("POST", paths.signIn, { body: { email, password } })
    const email = freshEmail("limited")
    for (let i = 0; i < 5; i++) {
      const answer = await attempt(email, `10.5.0.${i}`, i % 2 === 0 ? stage.service.url : other.url)
      expect(answer.status).toBe(401)
      expect(answer.headers.get("RateLimit-Policy")).toMatch(/;q=5;w=60$/)
    }
    const sixth = await attempt(email.toUpperCase(), "10.5.0.9", other.url)
    expect(codeOf(sixth)).toBe("429 rate_limited")
    expect(Number(sixth.headers.get("Retry-After"))).toBeGreaterThan(0)
    expect(sixth.headers.get("RateLimit")).toMatch(/;r=0;t=\d+$/)

    for (let i = 0; i < 5; i++) {
      expect((await attempt(freshEmail("many"), "2001:db8::1", stage.service.url)).status).toBe(401)
    }
    // Another address of the same customer's network.
    expect(codeOf(await attempt(freshEmail("many"), "2001:db8:0:0:ffff::9", other.url))).toBe(
      "429 rate_limited",
    )
    expect((await attempt(freshEmail("many"), "2001:db8:0:1::1", other.url)).status).toBe(401)
  })

  it("the session cookie is Secure where the service is reached by https", async () => {
    const { email, password: own } = await signUp(stage)
    await forgetRates(stage)
    const answer = await browserFrom("10.6.0.1", other.url).send("POST", paths.signIn, {
      body: { email, password: own },
    })
    expect(answer.headers.getSetCookie()[0]).toMatch(/; Secure/)
  })
})

describe("a session", () => {
  const listed = async (browser: Browser) =>
    (
      await browser.must<{
        readonly data: ReadonlyArray<{
          readonly id: string
          readonly public_id: string
          readonly current: boolean
        }>
      }>("GET", paths.sessions)
    ).data

  it("sessions are listed, and ended by UUID or ses_ id, in another process too", async () => {
    const { email, password: own, browser, userId } = await signUp(stage)
    const signIn = async (ipAddress: string) => {
      const another = browserFrom(ipAddress)
      await another.must("POST", paths.signIn, { body: { email, password: own } })
      return another
    }
    const [second, third] = [await signIn("10.7.0.1"), await signIn("10.7.0.2")]
    const sessions = await listed(browser)
    expect(sessions).toHaveLength(3)
    await makeSteppedUp(stage, userId)
    expect(sessions.filter(({ current }) => current).map(({ id }) => id)).toEqual([sessions[2]?.id])
    expect(sessions[0]).not.toHaveProperty("token")
    expect(sessions[0]?.public_id).toMatch(/^ses_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect((await browser.send("DELETE", `${paths.sessions}/${sessions[0]?.id}`)).status).toBe(204)
    expect((await browser.send("DELETE", `${paths.sessions}/${sessions[1]?.public_id}`)).status).toBe(204)
    for (const [ended, origin] of [
      [second, stage.service.url],
      [third, other.url],
    ] as const) {
      const answer = await fetch(origin + paths.sessions, { headers: { Cookie: ended.cookieHeader() } })
      expect(answer.status).toBe(401)
    }
    for (const id of [sessions[0]?.id, "ses_00000000000000000000000000", "nonsense"]) {
      expect(codeOf(await browser.send("DELETE", `${paths.sessions}/${id}`))).toBe("404 resource_not_found")
    }
  })

  it("another user's session cannot be ended", async () => {
    const [mine, theirs] = [await signUp(stage), await signUp(stage)]
    const [session] = await listed(theirs.browser)
    await makeSteppedUp(stage, mine.userId)
    const answer = await mine.browser.send("DELETE", `${paths.sessions}/${session?.id}`)
    expect(codeOf(answer)).toBe("404 resource_not_found")
    expect(await listed(theirs.browser)).toHaveLength(1)
  })

  it("signing out ends the session, and works without a session too", async () => {
    const { browser } = await signUp(stage)
    const cookie = browser.cookieHeader()
    expect(await browser.must("POST", paths.signOut)).toEqual({ status: true })
    const after = await fetch(other.url + paths.sessions, { headers: { Cookie: cookie } })
    expect(after.status).toBe(401)
    expect(await browser.must("POST", paths.signOut)).toEqual({ status: true })
    expect(await browser.must("GET", paths.session)).toBeNull()
  })

  it("a session accepts the current terms and no other version", async () => {
    const { browser } = await signUp(stage)
    const old = await browser.send("POST", paths.terms, { body: { version: "2020-01-01" } })
    expect(codeOf(old)).toBe("400 validation_failed version")
    expect((await browser.send("POST", paths.terms, { body: { version: "2026-01-01" } })).status).toBe(204)
  })
})
