import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { type MemberRole, rolesFor } from "../../schema/memberRoles.ts"
import { admitSession, type SessionDemand } from "../../src/http/contract/sessionGuard.ts"
import {
  ask,
  cookieOf,
  dashboardOrigin,
  type Headers,
  publicOrigin,
  type Seen,
  sellerId,
  tokens,
} from "./dashboardFixture.ts"
import { type ErrorBody, type Fixture, inFixture } from "./fixture.ts"
import type { RawResponse } from "./rawClient.ts"

const asJson = [["Content-Type", "application/json"]] as const

/** Answers, by the names that the table below has for them. */
const outcomes = {
  ok: [200, undefined, undefined, undefined],
  session: [401, "session_required", undefined, undefined],
  origin: [403, "origin_not_allowed", undefined, undefined],
  denied: [403, "permission_denied", undefined, undefined],
  mode: [400, "validation_failed", "X-Mode", undefined],
  mfa: [403, "mfa_required", undefined, "required"],
  away: [503, "service_unavailable", undefined, undefined],
} as const
type Outcome = keyof typeof outcomes

const outcomeOf = ({ status, headers, body }: RawResponse) => {
  const { error } = JSON.parse(body) as Partial<ErrorBody>
  return [status, error?.code, error?.param, headers["x-mfa-step-up"]]
}

const routes = [
  ["GET", "/page"],
  ["POST", "/page"],
  ["GET", "/user"],
  ["POST", "/user"],
  ["PUT", "/user"], // step-up: always
  ["GET", "/seller"],
  ["POST", "/seller"],
  ["POST", "/seller/webhook"], // step-up: webhook
  ["PATCH", "/seller/account"], // step-up: account
  ["DELETE", "/seller/always"], // step-up: always
  ["GET", "/operator"],
  ["POST", "/operator"],
] as const

interface Row {
  readonly name: string
  readonly headers: Headers
  /** In the order of the routes. */
  readonly wanted: ReadonlyArray<Outcome>
}

const words = (text: string) => text.trim().split(/\s+/) as ReadonlyArray<Outcome>
const cookie = (token: string) => ["Cookie", cookieOf(token)] as const
const none = words("ok ok  session session session  session session session session session  session session")
const full = words("ok ok  ok ok ok  ok ok ok ok ok  denied denied")
const foreign = words("ok origin  ok origin origin  ok origin origin origin origin  denied origin")

const rows: ReadonlyArray<Row> = [
  { name: "no cookie", headers: [], wanted: none },
  { name: "another cookie", headers: [["Cookie", "other=1"]], wanted: none },
  { name: "an empty cookie", headers: [["Cookie", "lm.session="]], wanted: none },
  { name: "an unknown token", headers: [cookie("nope")], wanted: none },
  { name: "an expired session", headers: [cookie(tokens.expired)], wanted: none },
  {
    name: "a session whose store is away",
    headers: [cookie(tokens.away)],
    wanted: words("ok ok  away away away  away away away away away  away away"),
  },
  { name: "a seller's session with a step-up", headers: [cookie(tokens.seller)], wanted: full },
  {
    name: "a seller's session without a step-up",
    headers: [cookie(tokens.sellerWithoutStepUp)],
    wanted: words("ok ok  ok ok mfa  ok ok mfa mfa mfa  denied denied"),
  },
  {
    name: "a seller's session without a step-up, whose user wants none",
    headers: [cookie(tokens.sellerWithoutToggles)],
    wanted: words("ok ok  ok ok mfa  ok ok ok ok mfa  denied denied"),
  },
  {
    name: "a seller's session without a step-up, whose user wants none for webhooks",
    headers: [cookie(tokens.sellerWithoutWebhookToggle)],
    wanted: words("ok ok  ok ok mfa  ok ok ok mfa mfa  denied denied"),
  },
  {
    name: "an operator's session",
    headers: [cookie(tokens.operator)],
    wanted: words("ok ok  ok ok ok  denied denied denied denied denied  ok ok"),
  },
  {
    name: "an operator's session without a step-up",
    headers: [cookie(tokens.operatorWithoutStepUp)],
    wanted: words("ok ok  ok ok mfa  denied denied denied denied denied  mfa mfa"),
  },
  {
    name: "an operator's session whose step-up is over",
    headers: [cookie(tokens.operatorStepUpExpired)],
    wanted: words("ok ok  ok ok mfa  denied denied denied denied denied  ok mfa"),
  },
  ...["sandbox", "LIVE", "live,test", "live test"].map((mode) => ({
    name: `X-Mode: ${mode}`,
    headers: [cookie(tokens.sellerWithoutStepUp), ["X-Mode", mode]] as const,
    wanted: words("ok ok  mode mode mode  mode mode mode mode mode  denied denied"),
  })),
  {
    name: "two X-Modes",
    headers: [cookie(tokens.seller), ["X-Mode", "live"], ["X-Mode", "test"]],
    wanted: words("ok ok  mode mode mode  mode mode mode mode mode  denied denied"),
  },
  ...(
    [
      ["a foreign Origin", [["Origin", "https://foreign.example"]]],
      ["an opaque Origin", [["Origin", "null"]]],
      ["an Origin without a scheme", [["Origin", "service.test"]]],
      ["an Origin whose host only begins like ours", [["Origin", "http://service.test.evil.example"]]],
      ["an Origin that is the Host's, and not PUBLIC_URL's", [["Origin", "http://service.test"]]],
      ["PUBLIC_URL's Origin by http", [["Origin", publicOrigin.replace("https", "http")]]],
      [
        "PUBLIC_URL's Origin by http, and its Host",
        [
          ["Host", "pay.example"],
          ["Origin", "http://pay.example"],
        ],
      ],
      ["an Origin of our host at another port", [["Origin", "http://service.test:8080"]]],
      ["an allow-listed Origin of another scheme", [["Origin", dashboardOrigin.replace("https", "http")]]],
      ["a host below an allow-listed one", [["Origin", "https://x.panel.example"]]],
      [
        "two Origins",
        [
          ["Origin", dashboardOrigin],
          ["Origin", "https://foreign.example"],
        ],
      ],
      ["Sec-Fetch-Site: cross-site", [["Sec-Fetch-Site", "cross-site"]]],
      [
        "our own Origin and Sec-Fetch-Site: cross-site",
        [
          ["Origin", publicOrigin],
          ["Sec-Fetch-Site", "cross-site"],
        ],
      ],
      [
        "an allow-listed Origin and Sec-Fetch-Site: cross-site",
        [
          ["Origin", dashboardOrigin],
          ["Sec-Fetch-Site", "cross-site"],
        ],
      ],
      [
        "a foreign Origin and Sec-Fetch-Site: same-origin",
        [
          ["Origin", "https://foreign.example"],
          ["Sec-Fetch-Site", "same-origin"],
        ],
      ],
    ] as ReadonlyArray<readonly [string, Headers]>
  ).map(([name, headers]) => ({ name, headers: [cookie(tokens.seller), ...headers], wanted: foreign })),
  ...(
    [
      ["PUBLIC_URL's Origin", [["Origin", publicOrigin]]],
      ["an allow-listed Origin", [["Origin", dashboardOrigin]]],
      [
        "an allow-listed Origin of the same site",
        [
          ["Origin", dashboardOrigin],
          ["Sec-Fetch-Site", "same-site"],
        ],
      ],
      ["Sec-Fetch-Site: same-origin", [["Sec-Fetch-Site", "same-origin"]]],
      ["Sec-Fetch-Site: same-site", [["Sec-Fetch-Site", "same-site"]]],
      ["Sec-Fetch-Site: none", [["Sec-Fetch-Site", "none"]]],
    ] as ReadonlyArray<readonly [string, Headers]>
  ).map(([name, headers]) => ({ name, headers: [cookie(tokens.seller), ...headers], wanted: full })),
  {
    name: "a foreign Origin without a cookie",
    headers: [["Origin", "https://foreign.example"]],
    wanted: words(
      "ok origin  session session session  session session session session session  session session",
    ),
  },
  {
    name: "a foreign Origin and an unknown token",
    headers: [cookie("nope"), ["Origin", "https://foreign.example"]],
    wanted: words("ok origin  session origin origin  session origin origin origin origin  session origin"),
  },
  {
    name: "a foreign Origin, a bad X-Mode and no step-up",
    headers: [
      cookie(tokens.sellerWithoutStepUp),
      ["Origin", "https://foreign.example"],
      ["X-Mode", "sandbox"],
    ],
    wanted: words("ok origin  mode origin origin  mode origin origin origin origin  denied origin"),
  },
  {
    name: "an API key instead of a session",
    headers: [["Authorization", `Bearer sk_test_01${"a".repeat(41)}`]],
    wanted: none,
  },
]

describe("requests of the dashboard", () => {
  for (const { name, headers, wanted } of rows) {
    it.live(
      `a dashboard request with ${name} gets the expected answer on every route`,
      inFixture(async (fixture) => {
        expect(wanted).toHaveLength(routes.length)
        const found: Array<unknown> = []
        for (const [method, path] of routes) {
          const isJson = method === "POST" && path === "/seller"
          const all = isJson ? [...headers, ...asJson] : headers
          const answer = await ask(fixture, method, path, all, isJson ? "{}" : "")
          found.push([method, path, ...outcomeOf(answer)])
        }
        expect(found).toEqual(routes.map((route, index) => [...route, ...outcomes[wanted[index] ?? "ok"]]))
      }),
    )
  }

  it.live(
    "a dashboard request without a session is refused before anything else that is wrong with it",
    inFixture(async (fixture) => {
      const text = [["Content-Type", "text/plain"]] as const
      expect(outcomeOf(await ask(fixture, "POST", "/seller", text, "{"))).toEqual(outcomes.session)
      const known = [cookie(tokens.seller), ...text]
      expect(outcomeOf(await ask(fixture, "POST", "/seller", known, "{"))[0]).toBe(415)
      const broken = await ask(fixture, "POST", "/seller", [cookie(tokens.seller), ...asJson], '{"name":1}')
      expect(outcomeOf(broken)).toEqual([400, "validation_failed", "name", undefined])
    }),
  )

  it.live(
    "a dashboard request by HEAD is safe, so that a foreign Origin may send it",
    inFixture(async ({ origin }) => {
      const headers = { cookie: cookieOf(tokens.seller), origin: "https://foreign.example" }
      expect((await fetch(`${origin}/seller`, { method: "HEAD", headers })).status).toBe(200)
    }),
  )
})

/** What the handler knew about its caller. */
const seen = async (fixture: Fixture, path: string, headers: Headers): Promise<Seen> => {
  const { status, body } = await ask(fixture, "GET", path, headers)
  expect([status, body]).toEqual([200, body])
  return JSON.parse(body) as Seen
}

describe("what a handler knows about its caller", () => {
  it.live(
    "a handler gets the seller in the mode that X-Mode names, or live where it is left out",
    inFixture(async (fixture) => {
      for (const [headers, mode] of [
        [[], "live"],
        [[["X-Mode", "live"]], "live"],
        [[["X-Mode", "test"]], "test"],
        [[["X-Mode", ""]], "live"],
      ] as ReadonlyArray<readonly [Headers, string]>) {
        const { principal, userId } = await seen(fixture, "/seller", [cookie(tokens.seller), ...headers])
        expect(principal).toMatchObject({ sellerId, mode, keyId: "user" })
        expect(userId).toBe("user")
      }
    }),
  )

  it.live(
    "a handler for operators gets no seller, and one for anybody gets no session",
    inFixture(async (fixture) => {
      const operator = await seen(fixture, "/operator", [cookie(tokens.operator)])
      expect(operator).toMatchObject({ userId: "operator" })
      expect(operator).not.toHaveProperty("principal")
      const page = await seen(fixture, "/page", [cookie(tokens.seller)])
      expect(page).toMatchObject({ cookie: tokens.seller })
      expect(page).not.toHaveProperty("userId")
      expect(page).not.toHaveProperty("principal")
    }),
  )
})

describe("the session in a Cookie header", () => {
  const token = async (fixture: Fixture, ...lines: ReadonlyArray<string>) =>
    (
      await seen(
        fixture,
        "/page",
        lines.map((line) => ["Cookie", line] as const),
      )
    ).cookie

  it.live(
    "the session is found wherever it stands in a Cookie header",
    inFixture(async (fixture) => {
      for (const line of [
        "lm.session=t",
        "a=1; lm.session=t; b=2",
        "a=1;lm.session=t",
        "lm.session = t",
        "=; ;;a; lm.session=t",
        "a=%; b=%ff; lm.session=t",
        "LM.session=x; lm.session=t",
        "xlm.session=x; lm.session=t",
        "lm.sessions=x; lm.session=t",
      ]) {
        expect([line, await token(fixture, line)]).toEqual([line, "t"])
      }
    }),
  )

  it.live(
    "each of several sessions in Cookie headers is tried, in one line or in more, and the first live one counts",
    inFixture(async (fixture) => {
      const userOf = async (...lines: ReadonlyArray<string>) => {
        const headers = lines.map((line) => ["Cookie", line] as const)
        const { status, body } = await ask(fixture, "GET", "/user", headers)
        return status === 200 ? (JSON.parse(body) as Seen).userId : status
      }
      const [own, other] = [cookieOf(tokens.seller), cookieOf(tokens.operator)]
      const bad = ["x", "", tokens.expired].map(cookieOf).join("; ")
      for (const lines of [
        [`${bad}; ${own}`],
        [bad, own],
        [own, bad],
        [`${own};${bad};${other}`],
        [bad, "a=1", own, other],
      ]) {
        expect([lines, await userOf(...lines)]).toEqual([lines, "user"])
      }
      expect(await userOf(`${other}; ${own}`)).toBe("operator")
      expect(await userOf(bad)).toBe(401)
      const many = (count: number) => Array.from({ length: count }, (_, i) => cookieOf(`x${i}`)).join(";")
      expect(await userOf(many(limits.cookiesTriedMax - 1), own)).toBe("user")
      expect(await userOf(many(limits.cookiesTriedMax), own)).toBe(401)
    }),
  )

  it.live(
    "a session in the __Host- cookie, which no other domain can set, counts before any other",
    inFixture(async (fixture) => {
      const userOf = async (line: string) => (await seen(fixture, "/user", [["Cookie", line]])).userId
      const host = (token: string) => `__Host-${cookieOf(token)}`
      const planted = cookieOf(tokens.operator)
      expect(await userOf(`${planted}; ${host(tokens.seller)}`)).toBe("user")
      expect(await userOf(`${planted}; ${cookieOf(tokens.seller)}; ${host(tokens.seller)}`)).toBe("user")
      expect(await userOf(host(tokens.seller))).toBe("user")
      expect(await userOf(`${host("ended")}; ${cookieOf(tokens.seller)}`)).toBe("user")
      const crowd = Array.from({ length: 100 }, (_, i) => cookieOf(`x${i}`)).join("; ")
      expect(await userOf(`${crowd}; ${host(tokens.seller)}`)).toBe("user")
    }),
  )

  it.live(
    "a broken Cookie header holds no session, and breaks nothing",
    inFixture(async (fixture) => {
      for (const line of [
        "",
        ";",
        "lm.session",
        "=lm.session",
        "lm session=t",
        "__proto__=t",
        "\u00ff=\u00ff",
      ]) {
        expect([line, await token(fixture, line)]).toEqual([line, undefined])
      }
      expect(await token(fixture, "lm.session=%zz")).toBe("%zz")
      for (const name of ["__proto__", "constructor", "toString"]) {
        const answer = await ask(fixture, "GET", "/user", [["Cookie", cookieOf(name)]])
        expect(outcomeOf(answer)).toEqual(outcomes.session)
      }
    }),
  )
})

const until = 1_000_000

/** Asks for admission at a moment, with an `X-Mode`. */
const admit = (
  demand: Partial<SessionDemand>,
  {
    nowMillis = 0,
    mode = "",
    role = "owner",
  }: { readonly nowMillis?: number; readonly mode?: string; readonly role?: MemberRole },
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    const session = {
      id: "",
      tokenHash: "",
      userId: "user",
      role: "seller",
      sellerId,
      membership: { memberId: "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", role, refundLimit: undefined },
      ipAddress: undefined,
      userAgent: undefined,
      rememberMe: false,
      createdAtMillis: 0,
      expiresAtMillis: 0,
      lastSeenAtMillis: 0,
      mfaVerifiedUntilMillis: until,
    } as const
    const sessions = {
      find: () => Effect.succeed(session),
      isLive: () => Effect.succeed(true),
      wantsStepUp: () => Effect.succeed(true),
    }
    const browser = {
      cookies: () => ["token"],
      mode,
      ipAddress: "",
      userAgent: undefined,
      acceptEncoding: "",
      isSecure: false,
      relyingParty: () => ({ id: "localhost", origins: [] }),
      crossSite: undefined,
    }
    const full = {
      who: "seller",
      roles: rolesFor.reading,
      stepUp: undefined,
      isUnsafe: true,
      isTestOnly: false,
      ...demand,
    } as const
    return yield* Effect.exit(admitSession(sessions, browser, full))
  })

describe("a step-up", () => {
  it.effect("a step-up holds to its last millisecond, and not one more", () =>
    Effect.gen(function* () {
      for (const kind of ["webhook", "always"] as const) {
        const demand = { stepUp: kind }
        expect(Exit.isSuccess(yield* admit(demand, { nowMillis: until - 1 }))).toBe(true)
        expect(Exit.isFailure(yield* admit(demand, { nowMillis: until }))).toBe(true)
      }
    }),
  )
})

describe("a route that names roles", () => {
  it.effect(
    "a member whose role is not named is refused with the roles, before mode and step-up are looked at",
    () =>
      Effect.gen(function* () {
        const demand = { roles: rolesFor.payingOut, stepUp: "always", isTestOnly: true } as const
        for (const role of ["developer", "support", "viewer"] as const) {
          const refused = yield* Effect.flip(
            Effect.flatten(admit(demand, { role, nowMillis: until, mode: "sandbox" })),
          )
          expect(refused).toMatchObject({
            code: "permission_denied",
            message: expect.stringContaining("owner or finance"),
            details: { roles: ["owner", "finance"] },
          })
        }
        for (const role of ["owner", "finance"] as const) {
          expect(Exit.isSuccess(yield* admit(demand, { role, mode: "test" }))).toBe(true)
        }
      }),
  )
})

describe("a route for test mode", () => {
  it.effect("a route for test mode admits X-Mode: test alone, and says so before it asks for a step-up", () =>
    Effect.gen(function* () {
      const demand = { stepUp: "always", isTestOnly: true } as const
      const admitted = yield* admit(demand, { mode: "test" })
      expect(Exit.isSuccess(admitted) && admitted.value.principal?.mode).toBe("test")
      for (const mode of ["", "live"]) {
        const refused = yield* Effect.flip(Effect.flatten(admit(demand, { nowMillis: until, mode })))
        expect(refused).toMatchObject({
          code: "permission_denied",
          message: expect.stringContaining("X-Mode: test"),
        })
      }
      const unreadable = yield* Effect.flip(Effect.flatten(admit(demand, { mode: "sandbox" })))
      expect(unreadable).toMatchObject({ code: "validation_failed", param: "X-Mode" })
    }),
  )
})
