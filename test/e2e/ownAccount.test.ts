import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/service.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  forgetRates,
  freshEmail,
  mailedToken,
  makeOperator,
  makeSellerPerson,
  signInWith2fa,
  signUp,
} from "./support/accountPeople.ts"
import { openStage, type Stage } from "./support/stage.ts"

const paths = {
  session: "/v1/me/auth/get-session",
  send: "/v1/me/auth/send-verification-email",
  verify: "/v1/me/auth/verify-email",
  update: "/v1/me/auth/update-user",
  seller: "/v1/me/seller",
  terms: "/v1/me/terms",
  currentTerms: "/v1/me/auth/terms",
  accept: "/v1/me/terms/accept",
} as const
const newTerms = "2027-01-01"
const newTermsUrl = "https://example.com/termos"

let stage: Stage
/** A process of the next deploy, on the same Redis: its terms are newer. */
let next: Service
beforeAll(async () => {
  stage = await openStage({ TRUSTED_PROXIES: "127.0.0.1,::1" })
  next = await startService({
    redisUrl: stage.service.redisUrl,
    env: {
      ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
      TERMS_VERSION: newTerms,
      TERMS_URL: newTermsUrl,
    },
  })
})
afterAll(async () => {
  await next?.stop()
  await stage?.close()
})
beforeEach(() => forgetRates(stage))

const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
  const { error } = body as { readonly error?: { readonly code: string; readonly param?: string } }
  return error?.param === undefined ? `${status} ${error?.code}` : `${status} ${error.code} ${error.param}`
}
const userOf = async (browser: Browser) =>
  (
    await browser.must<{ readonly user: { readonly name: string; readonly emailVerified: boolean } }>(
      "GET",
      paths.session,
    )
  ).user
const sendTo = (email: string, browser = makeBrowser(stage.service.url), more: object = {}) =>
  browser.send("POST", paths.send, { body: { email, ...more } })
/** The session of a browser, at the process of the next deploy. */
const atNext = (browser: Browser): Browser => {
  const moved = makeBrowser(next.url)
  for (const pair of browser.cookieHeader().split("; "))
    moved.setCookie(...(pair.split("=", 2) as [string, string]))
  return moved
}

/** What a user is told of the terms, by the name of before too. */
const termsOf = (version: string, accepted: string | null) => ({
  version,
  accepted_version: accepted,
  current_version: version,
})

describe("terms", () => {
  it("the current version and the accepted one differ once the terms have changed, until they are accepted", async () => {
    const { browser } = await signUp(stage)
    const accepted = termsOf("2026-01-01", "2026-01-01")
    expect(await browser.must("GET", paths.terms)).toEqual(accepted)
    const later = atNext(browser)
    expect(await later.must("GET", paths.terms)).toEqual(termsOf(newTerms, "2026-01-01"))
    expect(codeOf(await later.send("POST", paths.accept, { body: { version: "2026-01-01" } }))).toBe(
      "400 validation_failed version",
    )
    expect((await later.send("POST", paths.accept, { body: { version: newTerms } })).status).toBe(204)
    expect(await later.must("GET", paths.terms)).toEqual(termsOf(newTerms, newTerms))
  })

  it("an account that was not made by signing up has accepted none", async () => {
    for (const person of [await makeSellerPerson(stage), await makeOperator(stage)]) {
      const browser = await signInWith2fa(stage, person)
      expect(await browser.must("GET", paths.terms)).toEqual(termsOf("2026-01-01", null))
    }
  })

  it("what a user accepted is told to its sessions alone", async () => {
    expect(codeOf(await makeBrowser(stage.service.url).send("GET", paths.terms))).toBe("401 session_required")
  })

  it("the terms in force, and their page where there is one, are told to anybody", async () => {
    const [nobody, nobodyAtNext] = [makeBrowser(stage.service.url), makeBrowser(next.url)]
    expect(await nobody.must("GET", paths.currentTerms)).toEqual({ version: "2026-01-01", url: null })
    expect(await nobodyAtNext.must("GET", paths.currentTerms)).toEqual({
      version: newTerms,
      url: newTermsUrl,
    })
  })
})

describe("another verification mail", () => {
  it("its link verifies the address, and so does the first one until the address is verified", async () => {
    const { browser, email } = await signUp(stage)
    const first = await mailedToken(stage, email, "verify_email", () => sendTo(email))
    const second = await mailedToken(stage, email, "verify_email", () => sendTo(email.toUpperCase()))
    expect(second).not.toBe(first)
    expect((await userOf(browser)).emailVerified).toBe(false)
    await browser.must("GET", `${paths.verify}?token=${second}`)
    expect((await userOf(browser)).emailVerified).toBe(true)
  })

  it("is answered alike for unknown, known and verified addresses, and sent to none that is verified", async () => {
    const { browser, email } = await signUp(stage)
    const known = await sendTo(email)
    const token = await mailedToken(stage, email, "verify_email", () => sendTo(email))
    await browser.must("GET", `${paths.verify}?token=${token}`)
    const verified = await sendTo(email)
    const unknown = await sendTo(freshEmail("nobody"))
    for (const answer of [known, verified, unknown]) {
      expect([answer.status, answer.text]).toEqual([200, '{"status":true}'])
    }
    // Mails are sent in order: one to somebody else comes after any to a verified address.
    const someone = await signUp(stage)
    await mailedToken(stage, someone.email, "verify_email", () => sendTo(someone.email))
    const mails = (await stage.redis("XRANGE", "mail", "-", "+")) as ReadonlyArray<[string, Array<string>]>
    const own = mails.filter(([, fields]) => fields.includes(email) && fields.includes("verify_email"))
    // Of the sign-up, and the two that were asked for before it was verified.
    expect(own).toHaveLength(3)
  })

  it("is sent five times a minute to an address, known or not, and ten times from an address", async () => {
    const from = (ipAddress: string) => makeBrowser(stage.service.url, { "X-Forwarded-For": ipAddress })
    const { email } = await signUp(stage)
    for (const address of [email, freshEmail("nobody")]) {
      await forgetRates(stage)
      const answers = []
      for (let tries = 0; tries < 6; tries++) answers.push(await sendTo(address, from(`10.1.${tries}.1`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      expect(Number(answers.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0)
    }
    await forgetRates(stage)
    const statuses = []
    for (let tries = 0; tries < 11; tries++) {
      statuses.push((await sendTo(freshEmail("nobody"), from("10.2.0.1"))).status)
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429])
  })

  it("does not take a link to another site", async () => {
    const { email } = await signUp(stage)
    const foreign = await sendTo(email, undefined, { callbackURL: "https://evil.example/" })
    expect(codeOf(foreign)).toBe("400 validation_failed callbackURL")
    expect((await sendTo(email, undefined, { callbackURL: "/done" })).status).toBe(200)
  })
})

describe("one's own name", () => {
  it("is changed by its user, without a step-up, and the store keeps its name", async () => {
    const { browser } = await signUp(stage)
    const { name: storeName } = await browser.must<{ readonly name: string }>("GET", paths.seller)
    expect(await browser.must("POST", paths.update, { body: { name: "Ana Beatriz Souza" } })).toEqual({
      status: true,
    })
    expect((await userOf(browser)).name).toBe("Ana Beatriz Souza")
    expect(await browser.must("GET", paths.seller)).toMatchObject({ name: storeName })
  })

  it("follows the rules of a name, and needs a session", async () => {
    const { browser } = await signUp(stage)
    for (const name of ["", "x".repeat(121), "two\nlines", 7]) {
      const answer = await browser.send("POST", paths.update, { body: { name } })
      expect([name, codeOf(answer)]).toEqual([name, "400 validation_failed name"])
    }
    expect((await userOf(browser)).name).toBe("Ana Souza")
    const nobody = makeBrowser(stage.service.url)
    expect(codeOf(await nobody.send("POST", paths.update, { body: { name: "Eva" } }))).toBe(
      "401 session_required",
    )
  })
})
