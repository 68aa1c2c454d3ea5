import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { scopeBits } from "../../actors/values/apiKeyAccess.ts"
import type { KeyPrincipal } from "../../actors/values/principal.ts"
import { streamGroup } from "../../schema/api/events.ts"
import { statementGroup } from "../../schema/api/statement.ts"
import { type ApiKeyScope, apiKeyScopes } from "../../schema/apiKeyScopes.ts"
import { ApiError } from "../../schema/errors.ts"
import { Authenticator } from "../../src/http/contract/authenticator.ts"
import { bindApi } from "../../src/http/contract/bind.ts"
import type { Handlers } from "../../src/http/server/request.ts"
import type { Incoming } from "../../src/http/server/route.ts"
import { browserRequests, sessionAuthenticator } from "./dashboardFixture.ts"
import { principal } from "./fixture.ts"

const contract = HttpApi.make("keys").add(statementGroup, streamGroup)

interface Key {
  readonly scopes?: ReadonlyArray<ApiKeyScope>
  /** The one address that it works from; by default any. */
  readonly address?: string
  readonly isRevoked?: boolean
}

/** Routes that answer whoever may ask, what they took of the key's rate, and the addresses that were asked about. */
const open = ({ scopes = apiKeyScopes, address, isRevoked = false }: Key) =>
  Effect.gen(function* () {
    const seen = { rate: 0, answered: 0, addresses: [] as Array<string> }
    const invalid = new ApiError({ code: "invalid_api_key", message: "revoked" })
    const found: KeyPrincipal = { ...principal, scopeBits: scopeBits(scopes) }
    const authenticator = Layer.succeed(Authenticator, {
      authenticate: () => Effect.succeed(found),
      admits: (_, addressOf) => {
        seen.addresses.push(addressOf())
        return address === undefined || seen.addresses.at(-1) === address
      },
      confirm: () => (isRevoked ? Effect.fail(invalid) : Effect.void),
    })
    const answer = () =>
      Effect.sync(() => {
        seen.answered += 1
        return { status: 200, body: "{}" }
      })
    const handlers: Handlers<typeof contract> = {
      getStatement: answer,
      exportStatement: answer,
      streamEvents: answer,
    }
    const routes = yield* bindApi(contract, handlers, (_, program) => {
      seen.rate += 1
      return program
    }).pipe(Effect.provide([authenticator, sessionAuthenticator(), browserRequests()]))
    /** Asks a route; the error's code and details, or the status. */
    const ask = (path: string, query: string, forwardedFor = "") =>
      Effect.gen(function* () {
        const route = routes.find((one) => one.path === path)
        if (route === undefined) return yield* Effect.die(`no route ${path}`)
        const incoming: Incoming = {
          requestId: "req_1",
          authorization: "Bearer sk_test_x",
          params: [],
          query,
          headers: route.headerNames.map((name) => (name === "x-forwarded-for" ? forwardedFor : "")),
          contentType: "",
          contentEncoding: "",
          body: Buffer.alloc(0),
          remoteAddress: "127.0.0.1",
        }
        const exit = yield* Fiber.await(route.start(incoming))
        expect(incoming.principal).toBe(found)
        if (Exit.isSuccess(exit)) return "answered"
        const error = yield* Effect.flip(Effect.failCause(exit.cause))
        return error instanceof ApiError ? [error.code, error.param ?? error.details] : error
      })
    return { ask, seen }
  })

const days = "from=2026-01-01&to=2026-01-31"

describe("what an API key may do", () => {
  it.effect("a key that lacks the scope is refused before its request is decoded, and uses its rate", () =>
    Effect.gen(function* () {
      const { ask, seen } = yield* open({ scopes: ["charges:read", "balance:read"] })
      for (const query of [days, "from=never"]) {
        expect(yield* ask("/v1/statement", query)).toEqual(["permission_denied", { scope: "ledger:read" }])
      }
      expect(yield* ask("/events", "types=,")).toEqual(["permission_denied", { scope: "events:read" }])
      expect(seen).toMatchObject({ rate: 3, answered: 0 })
    }),
  )

  it.effect("a key that has the scope alone is answered, and told what is wrong with its request", () =>
    Effect.gen(function* () {
      const { ask, seen } = yield* open({ scopes: ["ledger:read"] })
      expect(yield* ask("/v1/statement", days)).toBe("answered")
      expect(yield* ask("/v1/statement", "from=never")).toEqual(["validation_failed", "from"])
      expect(yield* ask("/events", "")).toEqual(["permission_denied", { scope: "events:read" }])
      expect(seen.answered).toBe(1)
    }),
  )

  it.effect("a key that is revoked is 401, whatever it lacks and wherever it is used from", () =>
    Effect.gen(function* () {
      const scopeless = yield* open({ scopes: ["events:read"], isRevoked: true })
      expect(yield* scopeless.ask("/v1/statement", days)).toEqual(["invalid_api_key", undefined])
      const elsewhere = yield* open({ address: "203.0.113.7", isRevoked: true })
      expect(yield* elsewhere.ask("/v1/statement", days)).toEqual(["invalid_api_key", undefined])
    }),
  )
})

describe("where an API key works from", () => {
  it.effect("the client's address decides, as a trusted proxy names it, on streams too", () =>
    Effect.gen(function* () {
      const { ask, seen } = yield* open({ address: "203.0.113.7" })
      const ways = [
        ["203.0.113.7", "answered"],
        ["198.51.100.1, 203.0.113.7", "answered"],
        ["::ffff:203.0.113.7", "answered"],
        ["203.0.113.7, 203.0.113.8", ["ip_not_allowed", undefined]],
        ["unknown", ["ip_not_allowed", undefined]],
        ["", ["ip_not_allowed", undefined]],
      ] as const
      for (const [forwardedFor, outcome] of ways) {
        expect(yield* ask("/v1/statement", days, forwardedFor), forwardedFor).toEqual(outcome)
        expect(yield* ask("/events", "", forwardedFor), forwardedFor).toEqual(outcome)
      }
      expect(seen.addresses.slice(-4)).toEqual(["", "", "127.0.0.1", "127.0.0.1"])
    }),
  )

  it.effect(
    "whoever asks from elsewhere uses nothing of the key's rate, and learns nothing of its scopes",
    () =>
      Effect.gen(function* () {
        const { ask, seen } = yield* open({ scopes: ["events:read"], address: "203.0.113.7" })
        const refused = ["ip_not_allowed", undefined]
        expect(yield* ask("/v1/statement", days, "203.0.113.8")).toEqual(refused)
        expect(yield* ask("/events", "", "203.0.113.8")).toEqual(refused)
        expect(seen).toMatchObject({ rate: 0, answered: 0 })
        expect(yield* ask("/events", "", "203.0.113.7")).toBe("answered")
        expect(seen).toMatchObject({ rate: 1, answered: 1 })
      }),
  )
})
