import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type DashboardSession, signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeBrowser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  freshEmail,
  invite,
  mailedToken,
  makeSellerPerson,
  opsOn,
  sendWhenFree,
  signInWith2fa,
  signUp,
  verifyTotpPath,
} from "./support/accountPeople.ts"
import { makeClient } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

interface ShownUser {
  readonly id: string
  readonly status: string
  readonly disabled_at: string | null
}

let redis: TestRedis
/** Operators act in `one`, and users are signed in at `two`. */
let one: Stage
let two: Stage
let operator: DashboardSession
let ana: DashboardClient
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64"), TRUSTED_PROXIES: "127.0.0.1,::1" }
  const start = () => openStage(settings, { redisUrl: redis.url })
  ;[one, two] = await Promise.all([start(), start()])
  operator = await signInAsOperator(one.service)
  ana = dashboardClient(one.service.url, operator)
})
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()])
  await redis?.stop()
})
beforeEach(() => forgetRates(one))

const users = "/v1/admin/users"
const act = (userId: string, name: string, by = ana) =>
  by.send<ShownUser>("POST", `${users}/${userId}/${name}`, { reason: "a test" })
const must = async (userId: string, name: string) => {
  const { status, body } = await act(userId, name)
  expect(status).toBe(200)
  return body
}
const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
  const { error } = body as { readonly error?: { readonly code: string; readonly param?: string } }
  return [status, error?.code, ...(error?.param === undefined ? [] : [error.param])].join(" ")
}

/** A seller's user with a session and an open stream at the other process. */
const openUser = async () => {
  const seller = await one.newSeller()
  const session = await signInAsSeller(one.service, seller.id)
  const stream = await readyStream(makeClient(two.service.url), "/events", {
    Cookie: session.cookie,
  })
  return { seller, session, stream, dashboard: dashboardClient(two.service.url, session) }
}

const signInPath = "/v1/me/auth/sign-in/email"
const trySignIn = async (email: string, password: string) => {
  const browser = makeBrowser(two.service.url)
  return sendWhenFree(async () => {
    await forgetRates(one)
    return browser.send("POST", signInPath, { body: { email, password } })
  })
}

describe("a user who is shut out", () => {
  for (const name of ["disable", "end-sessions"]) {
    it(`${name}: sessions and event streams of the user end in another process`, async () => {
      const { session, stream, dashboard } = await openUser()
      const beside = await openUser()
      const shown = await must(session.userId, name)
      expect(shown).toMatchObject({
        ...{ id: session.userId, email: session.email, role: "seller" },
        status: name === "disable" ? "disabled" : "active",
      })
      await stream.waitForEnd()
      expect(codeOf(await dashboard.send("GET", "/v1/me/sessions"))).toBe("401 session_required")
      expect((await beside.dashboard.send("GET", "/v1/me/sessions")).status).toBe(200)
      beside.stream.close()
    })

    it(`${name}: a sign-in that waits for its second step is over, and a device is trusted no more`, async () => {
      const person = await makeSellerPerson(two)
      const trusting = await signInWith2fa(two, person)
      await trusting.must("POST", "/v1/me/auth/sign-out")
      expect((await beginSignIn(two, person, trusting)).needsSecondStep).toBe(false)
      const { browser: pending } = await beginSignIn(two, person)
      await must(person.userId, name)
      await must(person.userId, "enable")
      const body = { code: await person.authenticator.next() }
      expect(codeOf(await pending.send("POST", verifyTotpPath, { body }))).toBe("401 session_required")
      expect((await beginSignIn(two, person, trusting)).needsSecondStep).toBe(true)
    })
  }

  it("disabled, a user learns of it with the right password alone, and an enabled one signs in again", async () => {
    const { email, password, userId } = await signUp(two)
    await must(userId, "disable")
    const wrong = await trySignIn(email, "another password")
    const unknown = await trySignIn(`x${email}`, "another password")
    expect(codeOf(wrong)).toBe("401 invalid_credentials")
    const messageOf = ({ body }: typeof wrong) => body.error.message
    expect(messageOf(wrong)).toBe(messageOf(unknown))
    expect(codeOf(await trySignIn(email, password))).toBe("403 user_disabled")
    expect(await must(userId, "enable")).toMatchObject({ status: "active", disabled_at: null })
    expect((await trySignIn(email, password)).status).toBe(200)
  })

  it("disabled, a user gets in by no mailed link: neither by one from before nor by a new one", async () => {
    const { email, password, userId } = await signUp(two)
    const browser = makeBrowser(two.service.url)
    const ask = () => browser.must("POST", "/v1/me/auth/request-password-reset", { body: { email } })
    const token = await mailedToken(two, email, "reset_password", ask)
    const reset = () =>
      browser.send("POST", "/v1/me/auth/reset-password", {
        body: { token, newPassword: "four words by dice" },
      })
    await must(userId, "disable")
    expect(codeOf(await reset())).toBe("400 validation_failed token")
    const mailsTo = async () =>
      JSON.stringify(await two.redis("XRANGE", "mail", "-", "+")).split(email).length - 1
    const before = await mailsTo()
    await ask()
    await browser.must("POST", "/v1/me/auth/two-factor/recovery/request", { body: { email, password } })
    await browser.must("POST", "/v1/me/auth/send-verification-email", { body: { email } })
    // What they would have sent is in the stream before this one is.
    const other = await signUp(two)
    await mailedToken(two, other.email, "reset_password", () =>
      browser.must("POST", "/v1/me/auth/request-password-reset", { body: { email: other.email } }),
    )
    expect(await mailsTo()).toBe(before)
    await must(userId, "enable")
    expect(codeOf(await reset())).toBe("400 validation_failed token")
    expect((await trySignIn(email, password)).status).toBe(200)
  })

  it("disabled, a user cannot sign up anew by an invite", async () => {
    const email = freshEmail("ana")
    const [first, second] = [await invite(two, email), await invite(two, email)]
    const signUpBy = (invite_token: string) => {
      const body = { name: "Ana", email, password: "correct horse battery", accept_terms: true, invite_token }
      return makeBrowser(two.service.url).send("POST", "/v1/me/auth/sign-up/email", { body })
    }
    const { status, body } = await signUpBy(first)
    expect(status).toBe(200)
    await must((body as unknown as { readonly user: { readonly id: string } }).user.id, "disable")
    expect(codeOf(await signUpBy(second))).toBe("409 invalid_state email")
    expect(codeOf(await ana.send("POST", "/v1/admin/invites", { email }))).toBe("409 invalid_state email")
  })
})

describe("operators who shut people out", () => {
  it("an operator cannot disable themself, and of two who disable each other at once one stays", async () => {
    expect(codeOf(await act(operator.userId, "disable"))).toBe("409 invalid_state")
    for (let round = 0; round < 5; round++) {
      const [left, right] = [await signInAsOperator(one.service), await signInAsOperator(two.service)]
      const answers = await Promise.all([
        act(right.userId, "disable", dashboardClient(one.service.url, left)),
        act(left.userId, "disable", dashboardClient(two.service.url, right)),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { userId } of [left, right]) await must(userId, "disable")
    }
  })

  it("every act is in the operators' log with its reason, and one that changes nothing is not", async () => {
    const { userId } = (await openUser()).session
    await must(userId, "enable")
    await must(userId, "disable")
    const { disabled_at } = await must(userId, "disable")
    expect(Date.parse(disabled_at ?? "")).toBeGreaterThan(Date.now() - 60_000)
    await must(userId, "end-sessions")
    await must(userId, "enable")
    const { body } = await ana.get<{
      readonly data: ReadonlyArray<{ readonly action: string; readonly resource_id: string }>
    }>("/v1/admin/audit?limit=20")
    const entry = (action: string) => ({
      ...{ action, operator_id: operator.userId, resource_type: "user", resource_id: userId },
      details: { reason: "a test" },
    })
    expect(body.data.filter(({ resource_id }) => resource_id === userId)).toMatchObject([
      entry("user.enabled"),
      entry("user.sessions_ended"),
      entry("user.disabled"),
    ])
  })

  it("a user is found by its seller or its address, and an unknown one is 404", async () => {
    const { seller, session } = await openUser()
    const find = async (query: string) => {
      const { body } = await ana.get<{ readonly data: ReadonlyArray<ShownUser> }>(`${users}?${query}`)
      return body.data.map(({ id }) => id)
    }
    const email = encodeURIComponent(session.email.toUpperCase())
    expect(await find(`email=${email}`)).toEqual([session.userId])
    const owned = await signUp(two)
    expect(await find(`seller_id=${owned.sellerId}`)).toEqual([owned.userId])
    expect(await find(`seller_id=${owned.sellerId}&email=${encodeURIComponent(owned.email)}`)).toEqual([
      owned.userId,
    ])
    expect(await find(`seller_id=${owned.sellerId}&email=${email}`)).toEqual([])
    expect(await find("seller_id=sel_01KA0000000700000000000000")).toEqual([])
    expect(codeOf(await ana.send("GET", users))).toBe("400 validation_failed email")
    for (const id of ["5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", "x", seller.id]) {
      for (const name of ["disable", "enable", "end-sessions"]) {
        expect(codeOf(await act(id, name))).toBe("404 resource_not_found")
      }
    }
  })

  it("ops user shuts a user out of running processes, too", async () => {
    const { session, stream, dashboard } = await openUser()
    expect(await opsOn(one, "user", "disable", "--email", session.email)).toEqual({
      ...{ user_id: session.userId, email: session.email, status: "disabled" },
    })
    await stream.waitForEnd()
    expect(codeOf(await dashboard.send("GET", "/v1/me/sessions"))).toBe("401 session_required")
  })
})
