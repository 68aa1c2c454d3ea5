import { Effect, Layer, type Scope } from "effect"
import { StoreUnavailable } from "../../actors/ports/store.ts"
import type { Principal } from "../../actors/ports/transactionStore.ts"
import { api } from "../../schema/api/index.ts"
import { ApiError, resourceNotFound } from "../../schema/errors.ts"
import type { StreamConnection } from "../../src/feed/streamConnection.ts"
import { Authenticator } from "../../src/http/authenticator.ts"
import { bindApi } from "../../src/http/bind.ts"
import type { ListenFailed } from "../../src/http/listen.ts"
import type { Handlers, Reply, RequestFailure } from "../../src/http/request.ts"
import { type HttpServer, type HttpServerOptions, serve } from "../../src/http/server.ts"

export const goodKey = `sk_test_01${"a".repeat(41)}`
/** Authenticates from a cache, as a key does that was revoked in another process. */
export const revokedKey = `sk_test_01${"r".repeat(41)}`
/** Its seller's store is away. */
export const awayKey = `sk_test_01${"s".repeat(41)}`
/** Takes a turn of the event loop to look up, as a cache miss does. */
export const coldKey = `sk_test_01${"c".repeat(41)}`

export const principal: Principal = {
  sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  mode: "test",
  keyId: "key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  keyHash: "hash",
}
const revoked: Principal = { ...principal, keyId: "revoked" }

const badKey = () =>
  new ApiError({ code: "invalid_api_key", message: "Send Authorization: Bearer sk_… with a key of yours." })

const authenticator = Layer.succeed(Authenticator, {
  authenticate: (authorization) => {
    switch (authorization) {
      case `Bearer ${goodKey}`:
        return Effect.succeed(principal)
      case `Bearer ${coldKey}`:
        return Effect.as(Effect.yieldNow, principal)
      case `Bearer ${revokedKey}`:
        return Effect.succeed(revoked)
      case `Bearer ${awayKey}`:
        return Effect.fail(new StoreUnavailable({ operation: "authenticate", reason: "away" }))
      default:
        return Effect.fail(badKey())
    }
  },
  confirm: ({ keyId }) => (keyId === revoked.keyId ? Effect.fail(badKey()) : Effect.void),
})

/** What a test steers in the fixture's handlers. */
export interface Steering {
  /** Streams that were opened, in order. */
  readonly streams: Array<StreamConnection>
  /** Requests for the id `txn_held` wait here until the test resumes them. */
  readonly held: Array<() => void>
  /** How many programs for `txn_held` ran to their end. */
  heldDone: number
  /** The last decoded request of createTransaction and getTransaction. */
  last: unknown
}

const bigBody = JSON.stringify({ data: "x".repeat(400_000) })

const respond = (id: string, steering: Steering): Effect.Effect<Reply, RequestFailure> => {
  switch (id) {
    case "txn_missing":
      return Effect.fail(resourceNotFound("transaction", id))
    case "txn_away":
      return Effect.fail(new StoreUnavailable({ operation: "get", reason: "away" }))
    case "txn_dies":
      return Effect.die(new Error(`broken by ${goodKey}`))
    case "txn_interrupts":
      return Effect.interrupt
    case "txn_big":
      return Effect.succeed({ status: 200, body: bigBody })
    case "txn_later":
      return Effect.as(Effect.sleep(5), { status: 200, body: JSON.stringify({ id }) })
    case "txn_held":
      return Effect.callback<{ status: number; body: string }>((resume) => {
        steering.held.push(() => {
          steering.heldDone++
          resume(Effect.succeed({ status: 200, body: JSON.stringify({ id }) }))
        })
      })
    default:
      return Effect.succeed({ status: 200, body: JSON.stringify({ id }) })
  }
}

const makeHandlers = (steering: Steering): Handlers<typeof api> => ({
  createTransaction: (request) =>
    Effect.sync(() => {
      steering.last = {
        payload: request.payload,
        key: request.header("idempotency-key"),
        rawBody: Buffer.from(request.rawBody).toString(),
        principal: request.principal,
        requestId: request.requestId,
        remoteAddress: request.remoteAddress,
      }
      return {
        status: 201,
        body: JSON.stringify(request.payload),
        headers: [["X-Fixture", "yes"]] as const,
      }
    }),
  getTransaction: (request) =>
    Effect.suspend(() => {
      steering.last = request
      return respond(request.params.id, steering)
    }),
  listTransactions: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  listEvents: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  getEvent: ({ params }) => Effect.succeed({ status: 200, body: JSON.stringify(params) }),
  streamEvents: (request) =>
    Effect.succeed({
      stream: (connection: StreamConnection) => {
        steering.last = request.header("last-event-id")
        steering.streams.push(connection)
      },
    }),
  listEventTypes: () => Effect.succeed({ status: 200, body: '{"data":[]}' }),
  listDeliveries: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  getDelivery: ({ params }) => Effect.succeed({ status: 200, body: JSON.stringify(params) }),
  retryDelivery: ({ params }) => Effect.succeed({ status: 202, body: JSON.stringify(params) }),
  health: () => Effect.succeed({ status: 200, body: '{"status":"ok"}' }),
  ready: () => Effect.succeed({ status: 204, body: "" }),
})

export interface Fixture {
  readonly server: HttpServer["Service"]
  readonly steering: Steering
  readonly origin: string
}

/** The real contract on handlers that answer what they were given. */
export const makeFixture = (
  options: Partial<HttpServerOptions> = {},
): Effect.Effect<Fixture, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const steering: Steering = { streams: [], held: [], heldDone: 0, last: undefined }
    const routes = yield* bindApi(api, makeHandlers(steering)).pipe(Effect.provide(authenticator))
    const server = yield* serve({ host: "127.0.0.1", port: 0, routes, ...options })
    return { server, steering, origin: `http://127.0.0.1:${server.port}` }
  })
