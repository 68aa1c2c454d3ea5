import { randomBytes } from "node:crypto"
import { get } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { partitionOf } from "../../src/store/keys.ts"
import { until } from "../support/until.ts"
import { makeBrowser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  makeOperator,
  makeSellerPerson,
  type SellerPerson,
  signInWith2fa,
  verifyTotpPath,
} from "./support/accountPeople.ts"
import { makeClient } from "./support/client.ts"
import { noticeSettings, postNotice } from "./support/notices.ts"
import { openStage, type Stage } from "./support/stage.ts"

const address = "203.0.113.77"
const metricsToken = "0123456789abcdef"
const production = {
  ...noticeSettings,
  NODE_ENV: "production",
  ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  LIVE_ACQUIRER: "simulator",
  ALLOW_SIMULATED_LIVE: "yes",
  PASSWORD_COST: "10",
  TRUSTED_PROXIES: "127.0.0.1,::1",
  METRICS_TOKEN: metricsToken,
  LOG_LEVEL: "info",
}

let stage: Stage
let person: SellerPerson
beforeAll(async () => {
  stage = await openStage(production)
  person = await makeSellerPerson(stage)
})
afterAll(() => stage?.close())

type Line = Readonly<Record<string, unknown>>

const allLines = (): ReadonlyArray<Line> =>
  stage.service
    .log()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

/** The lines of security events that `act` makes the service write, up to the one wanted, without time, level and words. */
const linesOf = async (wanted: string, act: () => Promise<unknown>): Promise<ReadonlyArray<Line>> => {
  const before = allLines().length
  await act()
  const found = () => allLines().slice(before)
  await until(`a line ${wanted}`, () => found().some(({ event }) => event === wanted))
  return found()
    .filter(({ event }) => event !== undefined)
    .map(({ timestamp: _, level: _level, message: _message, ...fields }) => fields)
}

const browser = () => makeBrowser(stage.service.url, { "X-Forwarded-For": address })
const askWithKey = (authorization: string | undefined, path: string) =>
  makeClient(stage.service.url).request("GET", path, {
    headers: {
      "X-Forwarded-For": address,
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
  })

/** The fields of a line about a request of this client. */
const known = (more: Line) => ({ request_id: expect.any(String), client_address: address, ...more })
const ofPerson = (more: Line) => known({ user_id: person.userId, seller_id: person.sellerId, ...more })

const signInPath = "/v1/me/auth/sign-in/email"

describe("the log in production", () => {
  it("every line is a JSON object, with those of the start, which say where the service listens", () => {
    const listening = allLines().filter(({ message }) => String(message).includes("is listening on http"))
    expect(listening).toMatchObject([{ level: "info", processes: 1 }])
  })

  it("a refused sign-in is one line with its reason, and neither the address nor the password", async () => {
    await forgetRates(stage)
    const typed = { email: "nobody@example.com", password: "correct horse nobody" }
    const unknown = () => browser().send("POST", signInPath, { body: typed })
    expect(await linesOf("sign_in.failed", unknown)).toEqual([
      known({ event: "sign_in.failed", reason: "unknown_email" }),
    ])
    const wrong = () =>
      browser().send("POST", signInPath, { body: { email: person.email, password: typed.password } })
    expect(await linesOf("sign_in.failed", wrong)).toEqual([
      known({ event: "sign_in.failed", reason: "wrong_password", user_id: person.userId }),
    ])
    expect(stage.service.log()).not.toContain(typed.email)
    expect(stage.service.log()).not.toContain(person.email)
    expect(stage.service.log()).not.toContain(typed.password)
  })

  it("a sign-in, its second step, a step-up and a sign-out are one line each, refused or not", async () => {
    const visitor = browser()
    const verify = async (code: string) =>
      visitor.send("POST", verifyTotpPath, { body: { code, trustDevice: true } })
    expect(await linesOf("sign_in.second_step_required", () => beginSignIn(stage, person, visitor))).toEqual([
      ofPerson({ event: "sign_in.second_step_required" }),
    ])
    expect(await linesOf("second_step.failed", () => verify("000000"))).toEqual([
      known({ event: "second_step.failed", reason: "wrong_code", user_id: person.userId }),
    ])
    const right = async () => verify(await person.authenticator.next())
    expect(await linesOf("second_step.succeeded", right)).toEqual([
      known({ event: "second_step.succeeded", user_id: person.userId }),
    ])
    const stepUp = async (code: string) => visitor.send("POST", "/v1/me/auth/step-up", { body: { code } })
    expect(await linesOf("step_up.failed", () => stepUp("000000"))).toEqual([
      ofPerson({ event: "step_up.failed", reason: "wrong_code" }),
    ])
    expect(await linesOf("step_up.succeeded", async () => stepUp(await person.authenticator.next()))).toEqual(
      [ofPerson({ event: "step_up.succeeded" })],
    )
    const signOut = () => visitor.must("POST", "/v1/me/auth/sign-out", { body: {} })
    expect(await linesOf("sign_out.succeeded", signOut)).toEqual([ofPerson({ event: "sign_out.succeeded" })])
    const trusted = () => beginSignIn(stage, person, visitor)
    expect(await linesOf("sign_in.succeeded", trusted)).toEqual([
      ofPerson({ event: "sign_in.succeeded", second_step: "trusted_device" }),
    ])
  })

  it.each([
    ["missing", undefined],
    ["not_bearer", "Basic YTpi"],
    ["malformed", "Bearer sk_test_short"],
    ["unknown_or_revoked", `Bearer sk_live_00${"k".repeat(41)}`],
  ])(
    "a refused API key (%s) is one line with the client's address behind the proxy, and without the key",
    async (reason, authorization) => {
      const ask = () => askWithKey(authorization, "/v1/transactions?limit=1")
      expect(await linesOf("api_key.refused", ask)).toEqual([
        known({ event: "api_key.refused", reason, route: "GET /v1/transactions" }),
      ])
      if (authorization !== undefined) expect(stage.service.log()).not.toContain(authorization.slice(-20))
    },
  )

  it("the client of a refused API key is the one that the proxy wrote, where it wrote a line of its own", async () => {
    const ask = () =>
      new Promise((done, failed) => {
        const headers = { "X-Forwarded-For": ["198.51.100.1", address] }
        get(`${stage.service.url}/v1/transactions`, { headers }, (answer) =>
          answer.resume().on("end", done),
        ).on("error", failed)
      })
    expect(await linesOf("api_key.refused", ask)).toMatchObject([{ client_address: address }])
  })

  it("an API key that is used from elsewhere than it works from, or lacks a scope, is one line with its id", async () => {
    const { id, keys } = await stage.newSeller({
      access: { scopes: ["charges:read"], allowedIps: [address] },
    })
    const partition = String(partitionOf(id)).padStart(2, "0")
    const [keyId] = (await stage.redis(
      "HKEYS",
      `apikeys:{p${partition}}:${id}:test`,
    )) as ReadonlyArray<string>
    const elsewhere = () =>
      makeClient(stage.service.url, keys.test).request("GET", "/v1/balance", {
        headers: { "X-Forwarded-For": "198.51.100.1" },
      })
    const ofKey = { seller_id: id, api_key_id: keyId, route: "GET /v1/balance" }
    expect(await linesOf("api_key.refused", elsewhere)).toEqual([
      known({
        ...{ event: "api_key.refused", reason: "ip_not_allowed", client_address: "198.51.100.1" },
        ...ofKey,
      }),
    ])
    const lacking = () => askWithKey(`Bearer ${keys.test}`, "/v1/balance")
    expect(await linesOf("access.refused", lacking)).toEqual([
      known({ event: "access.refused", reason: "permission_denied", ...ofKey }),
    ])
    expect(stage.service.log()).not.toContain(keys.test)
  })

  it("a refused session, a refused origin and a refused role are one line each", async () => {
    const visitor = browser()
    const profile = "/v1/me/seller"
    expect(await linesOf("session.refused", () => visitor.send("GET", profile))).toEqual([
      known({ event: "session.refused", reason: "missing", route: `GET ${profile}` }),
    ])
    await signInWith2fa(stage, person, visitor)
    const foreign = { headers: { Origin: "https://evil.example" }, body: { name: "x" } }
    expect(await linesOf("origin.refused", () => visitor.send("PATCH", profile, foreign))).toEqual([
      known({ event: "origin.refused", reason: "cross_site", route: `PATCH ${profile}` }),
    ])
    const operators = "/v1/admin/sellers"
    expect(await linesOf("access.refused", () => visitor.send("GET", operators))).toEqual([
      ofPerson({ event: "access.refused", reason: "permission_denied", route: `GET ${operators}` }),
    ])
    const token = visitor.cookie("lm.session") ?? ""
    await visitor.must("POST", "/v1/me/auth/sign-out", { body: {} })
    visitor.setCookie("lm.session", token)
    expect(await linesOf("session.refused", () => visitor.send("GET", profile))).toEqual([
      known({ event: "session.refused", reason: "ended", route: `GET ${profile}` }),
    ])
    expect(stage.service.log()).not.toContain(token)
  })

  it("a wrong METRICS_TOKEN is a line", async () => {
    for (const [reason, authorization] of [
      ["no_token", undefined],
      ["wrong_token", "Bearer fedcba9876543210"],
    ] as const) {
      const headers = {
        "X-Forwarded-For": address,
        ...(authorization === undefined ? {} : { authorization }),
      }
      const scrape = () => fetch(`${stage.service.url}/metrics`, { headers })
      expect(await linesOf("metrics.refused", scrape)).toEqual([known({ event: "metrics.refused", reason })])
    }
  })

  it("a notice with a bad signature is a line that names its acquirer", async () => {
    const body = JSON.stringify({ pix: [] })
    const call = { signature: "0".repeat(64), headers: { "X-Forwarded-For": address } }
    expect(await linesOf("notice.signature_refused", () => postNotice(stage, body, call))).toEqual([
      known({
        event: "notice.signature_refused",
        reason: "bad_signature",
        acquirer: "simulator",
        route: "POST /v1/webhooks/:slug",
      }),
    ])
  })

  it("an operator's act is a line that names its entry in the operators' log", async () => {
    const operator = await makeOperator(stage)
    const visitor = await signInWith2fa(stage, operator, browser())
    const suspend = () =>
      visitor.must("POST", `/v1/admin/sellers/${person.sellerId}/status`, {
        body: { status: "suspended", reason: "a reason\u00e9" },
      })
    const lines = await linesOf("operator.act", suspend)
    const audit = await visitor.must<{ readonly data: ReadonlyArray<Line> }>("GET", "/v1/admin/audit?limit=1")
    expect(lines).toEqual([
      known({
        event: "operator.act",
        action: "seller.status_set",
        resource_type: "seller",
        resource_id: person.sellerId,
        entry_id: audit.data[0]?.id,
        user_id: operator.userId,
      }),
    ])
  })

  it("requests that are let in write no line", async () => {
    const before = allLines().length
    const { test } = await stage.newSeller()
    for (let i = 0; i < 3; i++) expect((await test.get("/v1/transactions?limit=1")).status).toBe(200)
    expect(allLines().slice(before)).toEqual([])
  })
})
