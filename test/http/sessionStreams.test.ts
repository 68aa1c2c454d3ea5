import { describe, expect, it } from "@effect/vitest"
import { ask, cookieOf, type Headers, sellerId, tokens } from "./dashboardFixture.ts"
import { type ErrorBody, type Fixture, goodKey, inFixture, openStream, principal } from "./fixture.ts"

const cookie = (token: string) => ["Cookie", cookieOf(token)] as const

/** Opens a stream, leaves it, and returns its principal. */
const opened = async (fixture: Fixture, path: string, headers: Headers) => {
  const response = await openStream(fixture, path, Object.fromEntries(headers))
  expect(response.headers.get("content-type")).toBe("text/event-stream")
  await response.body?.cancel()
  return fixture.steering.streamPrincipals.at(-1)
}

const refusal = async (fixture: Fixture, path: string, headers: Headers) => {
  const { status, body } = await ask(fixture, "GET", path, headers)
  const { error } = JSON.parse(body) as ErrorBody
  return [status, error.code, error.param]
}

describe("/events under a session", () => {
  it.live(
    "a session's stream is of the mode in the query, else in X-Mode, else live",
    inFixture(async (fixture) => {
      for (const [path, headers, mode] of [
        ["/events", [], "live"],
        ["/events?mode=test", [], "test"],
        ["/events?mode=live", [], "live"],
        ["/events", [["X-Mode", "test"]], "test"],
        ["/events?mode=live", [["X-Mode", "test"]], "live"],
        ["/events?types=transaction.*&mode=test", [["X-Mode", "live"]], "test"],
        ["/events?mode=test", [["X-Mode", "sandbox"]], "test"],
        ["/events?mode=%74est", [], "test"],
      ] as ReadonlyArray<readonly [string, Headers, string]>) {
        const found = await opened(fixture, path, [cookie(tokens.seller), ...headers])
        expect([path, found]).toEqual([path, { sellerId, mode, keyId: "user", keyHash: "session" }])
      }
    }),
  )

  it.live(
    "a session's stream opens without a step-up and from any Origin: reading changes nothing",
    inFixture(async (fixture) => {
      expect(await opened(fixture, "/events", [cookie(tokens.sellerWithoutStepUp)])).toBeDefined()
      const foreign = [cookie(tokens.seller), ["Origin", "https://foreign.example"]] as const
      expect(await opened(fixture, "/events", foreign)).toBeDefined()
    }),
  )

  it.live(
    "a stream is refused to an unknown session, to an operator's, and in a mode that does not exist",
    inFixture(async (fixture) => {
      for (const token of ["nope", "", tokens.expired]) {
        expect(await refusal(fixture, "/events", [cookie(token)])).toEqual([
          401,
          "session_required",
          undefined,
        ])
      }
      expect(await refusal(fixture, "/events", [cookie(tokens.operator)])).toEqual([
        403,
        "permission_denied",
        undefined,
      ])
      for (const query of ["mode=sandbox", "mode=", "mode=live&mode=test", "mode=LIVE"]) {
        const found = await refusal(fixture, `/events?${query}`, [cookie(tokens.seller)])
        expect([query, found]).toEqual([query, [400, "validation_failed", "mode"]])
      }
      expect(await refusal(fixture, "/events", [cookie(tokens.seller), ["X-Mode", "sandbox"]])).toEqual([
        400,
        "validation_failed",
        "X-Mode",
      ])
      expect(fixture.steering.streams).toEqual([])
    }),
  )

  it.live(
    "a stream is refused where its session ends while it is opened",
    inFixture(async (fixture) => {
      expect(await refusal(fixture, "/events", [cookie(tokens.ending)])).toEqual([
        401,
        "session_required",
        undefined,
      ])
      expect(fixture.steering.streamPrincipals).toHaveLength(1)
      expect(fixture.steering.streams).toEqual([])
    }),
  )

  it.live(
    "a stream without a credential is asked for an API key, and one with both goes by the key",
    inFixture(async (fixture) => {
      const noKey = [401, "invalid_api_key", undefined]
      expect(await refusal(fixture, "/events", [])).toEqual(noKey)
      expect(await refusal(fixture, "/events", [["Cookie", "other=1"]])).toEqual(noKey)
      expect(await refusal(fixture, "/events?mode=sandbox", [])).toEqual(noKey)
      const bad = [["Authorization", "Bearer nope"], cookie(tokens.seller)] as const
      expect(await refusal(fixture, "/events", bad)).toEqual(noKey)
      const both = [["Authorization", `Bearer ${goodKey}`], cookie("nope")] as const
      expect(await opened(fixture, "/events", both)).toEqual(principal)
    }),
  )

  it.live(
    "a stream takes neither a key nor a session from the query",
    inFixture(async (fixture) => {
      for (const token of [goodKey, tokens.seller]) {
        const found = await refusal(fixture, `/events?token=${token}`, [])
        expect(found).toEqual([401, "invalid_api_key", undefined])
      }
    }),
  )
})
