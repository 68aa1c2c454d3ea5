import { Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { describe, expect, expectTypeOf, it } from "vitest"
import type { Principal } from "../../actors/values/principal.ts"
import { ApiKeyAuth, FeedAuth, KeyScope, RolesOfMembers, SellerAuth } from "../../schema/api/security.ts"
import { ApiError } from "../../schema/errors.ts"
import { rolesFor } from "../../schema/memberRoles.ts"
import { Authenticator } from "../../src/http/contract/authenticator.ts"
import { bindApi } from "../../src/http/contract/bind.ts"
import { makeDecoder } from "../../src/http/contract/decoder.ts"
import { remoteAddressText } from "../../src/http/server/addressList.ts"
import type { DecodedRequest, Handlers } from "../../src/http/server/request.ts"
import { browserRequests, sessionAuthenticator } from "./dashboardFixture.ts"

const open = HttpApiGroup.make("open").add(
  HttpApiEndpoint.get("look", "/look/:id", {
    disableCodecs: true,
    params: { id: Schema.String },
    query: { depth: Schema.optionalKey(Schema.String) },
    success: Schema.String,
  }),
)
const closed = HttpApiGroup.make("closed")
  .add(
    HttpApiEndpoint.post("make", "/make", {
      disableCodecs: true,
      headers: { "idempotency-key": Schema.String, "x-note": Schema.optionalKey(Schema.String) },
      payload: Schema.Struct({ name: Schema.String }),
      success: Schema.String,
    }).annotate(KeyScope, "charges:write"),
  )
  .middleware(ApiKeyAuth)
const contract = HttpApi.make("contract").add(open, closed)
type Contract = typeof contract

const done = () => Effect.succeed({ status: 200, body: "{}" })
const services = Layer.mergeAll(
  Layer.succeed(Authenticator, {
    authenticate: () => Effect.fail(new ApiError({ code: "invalid_api_key", message: "no" })),
    admits: () => true,
    confirm: () => Effect.void,
  }),
  sessionAuthenticator(),
  browserRequests(),
)

describe("handlers of a contract", () => {
  it("handlers receive params, query, headers, payload and principal with the types of their contract", () => {
    type Look = Parameters<Handlers<Contract>["look"]>[0]
    type Make = Parameters<Handlers<Contract>["make"]>[0]
    expectTypeOf<Look["params"]>().toEqualTypeOf<{ readonly id: string }>()
    expectTypeOf<Look["query"]>().toEqualTypeOf<{ readonly depth?: string }>()
    expectTypeOf<Look["payload"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Look["principal"]>().toEqualTypeOf<undefined>()
    expectTypeOf<Parameters<Look["header"]>[0]>().toEqualTypeOf<never>()
    expectTypeOf<Make["payload"]>().toEqualTypeOf<{ readonly name: string }>()
    expectTypeOf<Make["principal"]>().toEqualTypeOf<Principal>()
    expectTypeOf<Make["params"]>().toEqualTypeOf<undefined>()
    const headers = (request: Make) => [request.header("idempotency-key"), request.header("x-note")] as const
    expectTypeOf<ReturnType<typeof headers>>().toEqualTypeOf<readonly [string, string | undefined]>()
    expectTypeOf<DecodedRequest<never>["requestId"]>().toEqualTypeOf<string>()
  })

  it("a missing, a misnamed or a wrongly failing handler does not compile", () => {
    const all: Handlers<Contract> = { look: done, make: done }
    // @ts-expect-error a handler is missing
    const fewer: Handlers<Contract> = { look: done }
    // @ts-expect-error a handler is misnamed
    const other: Handlers<Contract> = { look: done, made: done }
    // @ts-expect-error a handler fails with what no caller may see
    const failing: Handlers<Contract> = { look: () => Effect.fail("no"), make: done }
    expect([all, fewer, other, failing]).toHaveLength(4)
  })
})

const bind = (api: unknown, handlers: unknown) =>
  Effect.runSync(Effect.exit(bindApi(api as Contract, handlers as never).pipe(Effect.provide(services))))

describe("a contract the front end does not support", () => {
  class OtherAuth extends HttpApiMiddleware.Service<OtherAuth>()("test/OtherAuth") {}

  it("binding fails for unknown middleware, for several payloads and for a missing handler", () => {
    const guarded = HttpApiEndpoint.get("look", "/look", { success: Schema.String }).middleware(OtherAuth)
    const twoPayloads = HttpApiEndpoint.post("look", "/look", {
      payload: [Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })],
      success: Schema.String,
    })
    for (const group of [HttpApiGroup.make("g").add(guarded), HttpApiGroup.make("g").add(twoPayloads)]) {
      const exit = bind(HttpApi.make("x").add(group), { look: done })
      expect(exit._tag).toBe("Failure")
      expect(String(exit)).toContain("look")
    }
    expect(bind(contract, { look: done })._tag).toBe("Failure")
    expect(bind(contract, { look: done, make: done })._tag).toBe("Success")
  })

  it("binding fails for a route that takes API keys and names no scope", () => {
    const look = HttpApiEndpoint.get("look", "/look", { success: Schema.String })
    const scoped = look.annotate(KeyScope, "events:read").annotate(RolesOfMembers, rolesFor.reading)
    const bound = (endpoint: typeof look) =>
      bind(HttpApi.make("x").add(HttpApiGroup.make("g").add(endpoint)), { look: done })
    for (const open of [look.middleware(ApiKeyAuth), look.middleware(FeedAuth)]) {
      expect(String(bound(open as never))).toContain("look takes API keys and names no scope")
    }
    for (const open of [scoped.middleware(ApiKeyAuth), scoped.middleware(FeedAuth)]) {
      expect(bound(open as never)._tag).toBe("Success")
    }
  })
})

describe("a route of sellers' sessions", () => {
  it("binding fails for one that names no roles", () => {
    const look = HttpApiEndpoint.get("look", "/look", { success: Schema.String }).annotate(
      KeyScope,
      "events:read",
    )
    const roled = look.annotate(RolesOfMembers, rolesFor.reading)
    const bound = (endpoint: typeof look) =>
      bind(HttpApi.make("x").add(HttpApiGroup.make("g").add(endpoint)), { look: done })
    for (const open of [look.middleware(SellerAuth), look.middleware(FeedAuth)]) {
      expect(String(bound(open as never))).toContain("look takes sellers' sessions and names no roles")
    }
    for (const open of [roled.middleware(SellerAuth), roled.middleware(FeedAuth)]) {
      expect(bound(open as never)._tag).toBe("Success")
    }
  })
})

describe("a header that fails its schema", () => {
  it("an error about a header names it in its usual spelling, as in X-Note", () => {
    const endpoint = HttpApiEndpoint.get("look", "/look", {
      disableCodecs: true,
      headers: { "x-note": Schema.String.check(Schema.isMinLength(3)), "x-mode": Schema.String },
      success: Schema.String,
    })
    const decoder = makeDecoder(endpoint as unknown as HttpApiEndpoint.Top)
    const decode = (...headers: ReadonlyArray<string>) =>
      decoder.decode(
        {
          requestId: "req_1",
          authorization: undefined,
          params: [],
          query: "",
          headers,
          contentType: "",
          contentEncoding: "",
          body: Buffer.alloc(0),
          remoteAddress: "",
        },
        { principal: undefined, session: undefined, browser: undefined },
      )
    expect(decoder.headerNames).toEqual(["x-note", "x-mode"])
    expect(decode("abc", "live")).not.toBeInstanceOf(ApiError)
    expect(decode("ab", "live")).toMatchObject({ code: "validation_failed", param: "X-Note" })
    expect(decode("abc", "")).toMatchObject({ param: "X-Mode", message: "X-Mode is required." })
  })
})

describe("a peer's address", () => {
  it("a peer's address is written as IPv4 or IPv6 text", () => {
    const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values).buffer
    expect(remoteAddressText(bytes(192, 0, 2, 7))).toBe("192.0.2.7")
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 7]
    expect(remoteAddressText(bytes(...mapped))).toBe("192.0.2.7")
    const global = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    expect(remoteAddressText(bytes(...global))).toBe("2001:db8:0:0:0:0:0:1")
    expect(remoteAddressText(bytes())).toBe("")
  })
})
