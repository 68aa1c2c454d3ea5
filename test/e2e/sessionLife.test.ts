import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import { limits } from "../../schema/limits.ts"
import { type DashboardSession, signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import type { Browser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  makeSellerPerson,
  type SellerPerson,
  signInWith2fa,
  signUp,
} from "./support/accountPeople.ts"
import { makeCharge } from "./support/charges.ts"
import { type Answer, makeClient } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

let redis: TestRedis
let one: Stage
let two: Stage
let seller: SellerPerson
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64"), TRUSTED_PROXIES: "127.0.0.1,::1" }
  const start = () => openStage(settings, { redisUrl: redis.url })
  ;[one, two] = await Promise.all([start(), start()])
  seller = await makeSellerPerson(one)
})
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()])
  await redis?.stop()
})
beforeEach(() => forgetRates(one))

const paths = {
  stepUp: "/v1/me/auth/step-up",
  signOut: "/v1/me/auth/sign-out",
  session: "/v1/me/auth/get-session",
  sessions: "/v1/me/sessions",
  prefs: "/v1/me/security/step-up-prefs",
  others: "/v1/me/auth/revoke-other-sessions",
} as const

const codeOf = ({ status, body }: Answer<unknown>) => {
  const { error } = (body ?? {}) as { readonly error?: { readonly code: string } }
  return error === undefined ? `${status}` : `${status} ${error.code}`
}
/** A request under a `Cookie` header, which no jar changes. */
const under = (cookie: string, stage = one) => dashboardClient(stage.service.url, { cookie })
const cookieOf = (token: string | undefined) => `${sessionCookieName}=${token}`
const sessionsOf = async (browser: Browser) => {
  const { data } = await browser.must<{
    readonly data: ReadonlyArray<{ readonly id: string; readonly current: boolean }>
  }>("GET", paths.sessions)
  return data
}
/** As if so long had passed since the session's last use. */
const leaveUnused = async ({ userId }: DashboardSession, millis: number) => {
  for (const key of (await one.redis("KEYS", "session:*")) as ReadonlyArray<string>) {
    if ((await one.redis("HGET", key, "user")) !== userId) continue
    await one.redis("HINCRBY", key, "last_seen_at", -millis)
  }
}

describe("the session of a browser that steps up", () => {
  it("goes on under a new token, while its other tabs have requests and streams under way", async () => {
    const browser = await signInWith2fa(one, seller)
    const before = browser.cookieHeader()
    const former = browser.cookie(sessionCookieName)
    const stream = await readyStream(makeClient(two.service.url), "/events?mode=test", { Cookie: before })
    await browser.must("POST", paths.stepUp, { body: { code: await seller.authenticator.next() } })
    const token = browser.cookie(sessionCookieName)
    expect(token).not.toBe(former)

    const inFlight = [under(before), under(before, two)].flatMap((client) =>
      ["GET /v1/me/seller", "GET /v1/me/sessions", "GET /v1/me/auth/get-session"].map((route) => {
        const [method = "", path = ""] = route.split(" ")
        return client.send(method, path)
      }),
    )
    expect((await Promise.all(inFlight)).map(({ status }) => status)).toEqual(inFlight.map(() => 200))
    expect(stream.isOpen()).toBe(true)
    await makeCharge(makeClient(one.service.url, seller.keys.test))
    await stream.waitForEvents(1)
    stream.close()
    expect(await sessionsOf(browser)).toHaveLength(1)
  })

  it("is not stepped up under the token before, which soon is worth nothing in any process", async () => {
    const browser = await signInWith2fa(one, seller)
    const former = browser.cookie(sessionCookieName)
    for (const key of (await one.redis("KEYS", "session:*")) as ReadonlyArray<string>) {
      await one.redis("HSET", key, "mfa_verified_until", 0)
    }
    await browser.must("POST", paths.stepUp, { body: { code: await seller.authenticator.next() } })
    await browser.must("PUT", paths.prefs, { body: { webhook: true } })
    const old = (stage: Stage) => under(cookieOf(former), stage)
    for (const stage of [one, two]) {
      expect(codeOf(await old(stage).send("PUT", paths.prefs, { webhook: true }))).toBe("403 mfa_required")
      expect(codeOf(await old(stage).send("GET", paths.prefs))).toBe("200")
    }
    for (const key of (await one.redis("KEYS", "session:*")) as ReadonlyArray<string>) {
      if ((await one.redis("HEXISTS", key, "moved_to")) === 0) continue
      expect(Number(await one.redis("PTTL", key))).toBeLessThanOrEqual(limits.formerTokenMillis)
      await one.redis("PEXPIRE", key, 0)
    }
    for (const stage of [one, two]) {
      expect(codeOf(await old(stage).send("GET", paths.prefs))).toBe("401 session_required")
    }
    await browser.must("GET", paths.prefs)
  })
})

describe("a browser that signs in anew", () => {
  it("has one session, and what its tabs have under way is not signed out", async () => {
    const person = await signUp(one)
    const before = person.browser.cookieHeader()
    await beginSignIn(one, person, person.browser)
    const data = await sessionsOf(person.browser)
    expect(data.map(({ current }) => current)).toEqual([true])
    const late = await under(before, two).send<{ readonly data: typeof data }>("GET", paths.sessions)
    expect([late.status, late.body.data]).toEqual([200, data])
  })

  it("as somebody else ends the session before, for good", async () => {
    const [ana, rui] = [await signUp(one), await signUp(one)]
    const before = ana.browser.cookieHeader()
    await beginSignIn(one, rui, ana.browser)
    expect(codeOf(await under(before, two).send("GET", paths.sessions))).toBe("401 session_required")
    const { user } = await ana.browser.must<{ readonly user: { readonly id: string } }>("GET", paths.session)
    expect(user.id).toBe(rui.userId)
  })
})

describe("signing out", () => {
  it("tells the browser to forget what it keeps of our pages, with a session and without", async () => {
    const { browser } = await signUp(one)
    for (const cookie of [true, false]) {
      const { status, headers } = await browser.send("POST", paths.signOut)
      expect([cookie, status, headers.get("clear-site-data")]).toEqual([cookie, 200, '"cache", "storage"'])
    }
    const other = await signUp(one)
    const [own] = await sessionsOf(other.browser)
    const ended = await other.browser.send("DELETE", `${paths.sessions}/${own?.id}`)
    expect([ended.status, ended.headers.get("clear-site-data")]).toEqual([204, '"cache", "storage"'])
    expect(other.browser.cookie(sessionCookieName)).toBeUndefined()
  })

  it("ends every session of its cookies: none that another domain planted comes to light", async () => {
    const [own, planted] = [await signUp(one), await signUp(one)]
    const both = `${planted.browser.cookieHeader()}; ${own.browser.cookieHeader()}`
    expect((await under(both).send("POST", paths.signOut)).status).toBe(200)
    const { status, text } = await under(both, two).send("GET", paths.session)
    expect([status, text]).toEqual([200, "null"])
  })
})

describe("cookies of other domains", () => {
  const https = { "X-Forwarded-Proto": "https" }

  it("neither sign a user out nor win over its session, where the service has https", async () => {
    const [own, planted] = [await signUp(one), await signUp(one)]
    const signedIn = await under("").request<object>("POST", "/v1/me/auth/sign-in/email", {
      body: { email: own.email, password: own.password },
      headers: https,
    })
    const lines = signedIn.headers.getSetCookie().filter((line) => line.includes(sessionCookieName))
    const attributes = (line: string) => line.split("; ").slice(1).toSorted()
    expect(lines.map(attributes)).toEqual(lines.map(() => ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"]))
    const [bare = "", host = ""] = lines.map((line) => line.split(";")[0] ?? "")
    expect(host).toBe(`__Host-${bare}`)

    const userOf = async (cookie: string) => {
      const { body } = await under(cookie, two).send<{ readonly user: { readonly id: string } } | null>(
        "GET",
        paths.session,
      )
      return body?.user.id
    }
    const stolen = planted.browser.cookieHeader()
    for (const before of ["lm.session=x", "lm.session=", stolen, `${stolen}; lm.session=%00`]) {
      expect([before, await userOf(`${before}; ${bare}; ${host}`)]).toEqual([before, own.userId])
    }
    // Whoever sends but the contract's cookie is signed in, too.
    expect(await userOf(`lm.session=x; ${bare}`)).toBe(own.userId)
    const out = await under(`${bare}; ${host}`).request("POST", paths.signOut, { headers: https })
    const cleared = out.headers.getSetCookie().map((line) => line.split(";")[0])
    expect(cleared).toEqual(expect.arrayContaining(["lm.session=", "__Host-lm.session="]))
  })

  it("do not keep a user from the second step of a sign-in", async () => {
    const { browser, needsSecondStep } = await beginSignIn(one, seller)
    expect(needsSecondStep).toBe(true)
    const body = { code: await seller.authenticator.next() }
    const cookie = `lm.two_factor=x; ${browser.cookieHeader()}`
    const verified = await under(cookie).send("POST", "/v1/me/auth/two-factor/verify-totp", body)
    expect(codeOf(verified)).toBe("200")
  })
})

describe("a session that is not used", () => {
  it("ends after 14 days, an operator's after 30 minutes, in every process", async () => {
    const shop = await one.newSeller()
    const dayMillis = 86_400_000
    const cases = [
      [await signInAsSeller(one.service, shop.id), 14 * dayMillis],
      [await signInAsOperator(one.service), 1_800_000],
    ] as const
    for (const [session, millis] of cases) {
      await leaveUnused(session, millis - 60_000)
      expect(codeOf(await under(session.cookie, two).send("GET", paths.sessions))).toBe("200")
      await leaveUnused(session, millis)
      for (const stage of [one, two]) {
        expect(codeOf(await under(session.cookie, stage).send("GET", paths.sessions))).toBe(
          "401 session_required",
        )
      }
    }
  })
})

describe("ending other sessions", () => {
  it("needs a step-up, and ending the own one does not", async () => {
    const person = await signUp(one)
    const { browser: other } = await beginSignIn(one, person)
    const all = await sessionsOf(other)
    const [foreign, own] = [all.find(({ current }) => !current), all.find(({ current }) => current)]
    const refused = await other.send("DELETE", `${paths.sessions}/${foreign?.id}`)
    expect([codeOf(refused), refused.headers.get("x-mfa-step-up")]).toEqual(["403 mfa_required", "required"])
    expect(codeOf(await other.send("DELETE", `${paths.sessions}/x`))).toBe("403 mfa_required")
    expect(codeOf(await other.send("POST", paths.others))).toBe("403 mfa_required")
    expect(await sessionsOf(other)).toHaveLength(2)
    expect(codeOf(await other.send("DELETE", `${paths.sessions}/${own?.id}`))).toBe("204")
    expect(await sessionsOf(person.browser)).toHaveLength(1)
  })
})
