import { Effect, Layer, Logger, Schema, type Scope } from "effect"
import { HttpApi } from "effect/http-api"
import { expect } from "vitest"
import { scopeBits } from "../../actors/values/apiKeyAccess.ts"
import type { KeyPrincipal, Principal } from "../../actors/values/principal.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { deliveriesGroup } from "../../schema/api/deliveries.ts"
import { eventsGroup, streamGroup } from "../../schema/api/events.ts"
import { healthGroup } from "../../schema/api/health.ts"
import { transactionsGroup } from "../../schema/api/transactions.ts"
import { apiKeyScopes } from "../../schema/apiKeyScopes.ts"
import { ApiError, ErrorEnvelope, resourceNotFound } from "../../schema/errors.ts"
import type { StreamConnection } from "../../src/feed/streamConnection.ts"
import { Authenticator } from "../../src/http/contract/authenticator.ts"
import { bindApi } from "../../src/http/contract/bind.ts"
import { documentRoutes } from "../../src/http/server/documents.ts"
import type { ListenFailed } from "../../src/http/server/listen.ts"
import type { Reply } from "../../src/http/server/reply.ts"
import type { Handlers } from "../../src/http/server/request.ts"
import { type HttpServer, type HttpServerOptions, serve } from "../../src/http/server/server.ts"
import { metricsRoute } from "../../src/scrape/route.ts"
import {
  browserRequests,
  dashboardHandlers,
  operators,
  pages,
  sellers,
  sessionAuthenticator,
  users,
} from "./dashboardFixture.ts"

/** The contract's groups for API keys, and one group for each way that browsers are admitted. */
const contract = HttpApi.make("fixture").add(
  transactionsGroup,
  eventsGroup,
  streamGroup,
  deliveriesGroup,
  healthGroup,
  pages,
  users,
  sellers,
  operators,
)

export const goodKey = `sk_test_01${"a".repeat(41)}`
/** Authenticates from a cache but is not confirmed, like a key that another process has revoked. */
export const revokedKey = `sk_test_01${"r".repeat(41)}`
/** Its seller's store is away. */
export const awayKey = `sk_test_01${"s".repeat(41)}`
/** Takes a turn of the event loop to look up, like a cache miss. */
export const coldKey = `sk_test_01${"c".repeat(41)}`

export const principal: KeyPrincipal = {
  sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  mode: "test",
  keyId: "key_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  keyHash: "hash",
  scopeBits: scopeBits(apiKeyScopes),
  allowedIps: [],
}
/** A key of another seller. */
export const otherKey = `sk_test_01${"o".repeat(41)}`
const other: KeyPrincipal = { ...principal, sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAW", keyId: "other" }
const revoked: KeyPrincipal = { ...principal, keyId: "revoked" }

const badKey = () =>
  new ApiError({ code: "invalid_api_key", message: "Send Authorization: Bearer sk_… with a key of yours." })

const authenticator = Layer.succeed(Authenticator, {
  authenticate: (authorization) => {
    switch (authorization) {
      case `Bearer ${goodKey}`:
        return Effect.succeed(principal)
      case `Bearer ${coldKey}`:
        return Effect.as(Effect.yieldNow, principal)
      case `Bearer ${otherKey}`:
        return Effect.succeed(other)
      case `Bearer ${revokedKey}`:
        return Effect.succeed(revoked)
      case `Bearer ${awayKey}`:
        return Effect.fail(new StoreUnavailable({ operation: "authenticate", reason: "away" }))
      default:
        return Effect.fail(badKey())
    }
  },
  admits: () => true,
  confirm: ({ keyId }) => (keyId === revoked.keyId ? Effect.fail(badKey()) : Effect.void),
})

/** What a test steers in the fixture's handlers. */
export interface Steering {
  /** Streams that were opened, in order. */
  readonly streams: Array<StreamConnection>
  /** Requests for the id `txn_held` and streams of the types `held` wait here until the test resumes them. */
  readonly held: Array<() => void>
  /** How many of them ran to their end. */
  heldDone: number
  /** The principals of the streams, in their order. */
  readonly streamPrincipals: Array<Principal>
  /** The last decoded request of createTransaction and getTransaction. */
  last: unknown
}

/** What `txn_huge` answers: more than the buffers of two sockets hold. */
export const hugeBody = JSON.stringify({ data: "x".repeat(24_000_000) })
const bigBody = JSON.stringify({ data: "x".repeat(400_000) })

const hold = (steering: Steering, reply: Reply): Effect.Effect<Reply> =>
  Effect.callback((resume) => {
    steering.held.push(() => {
      steering.heldDone++
      resume(Effect.succeed(reply))
    })
  })

/** `txn_euros_7` is answered with seven characters of three bytes each. */
const euros = "txn_euros_"

const respond = (
  id: string,
  steering: Steering,
): Effect.Effect<Reply, ApiError<"resource_not_found"> | StoreUnavailable> => {
  if (id.startsWith(euros)) {
    return Effect.succeed({ status: 200, body: "€".repeat(Number(id.slice(euros.length))) })
  }
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
    case "txn_huge":
      return Effect.succeed({ status: 200, body: hugeBody })
    case "txn_later":
      return Effect.as(Effect.sleep(5), { status: 200, body: JSON.stringify({ id }) })
    case "txn_held":
      return hold(steering, { status: 200, body: JSON.stringify({ id }) })
    case "txn_bad_reply":
      return Effect.succeed(undefined as never)
    case "txn_throws":
      throw new Error("not even an effect")
    default:
      return Effect.succeed({ status: 200, body: JSON.stringify({ id }) })
  }
}

const makeHandlers = (steering: Steering): Handlers<typeof contract> => ({
  ...dashboardHandlers,
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
  summarizeTransactions: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  exportTransactions: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  listEvents: ({ query }) => Effect.succeed({ status: 200, body: JSON.stringify(query) }),
  getEvent: ({ params }) => Effect.succeed({ status: 200, body: JSON.stringify(params) }),
  streamEvents: (request) => {
    steering.streamPrincipals.push(request.principal)
    const reply = {
      stream: (connection: StreamConnection) => {
        steering.last = request.header("last-event-id")
        steering.streams.push(connection)
      },
    }
    switch (request.query.types) {
      case "held":
        return hold(steering, reply)
      case "away":
        return Effect.fail(new StoreUnavailable({ operation: "open", reason: "away" }))
      case "dies":
        return Effect.die(new Error("broken"))
      case "full":
        return Effect.fail(
          new ApiError({ code: "rate_limited", message: "At most 10 streams.", retryAfterSeconds: 5 }),
        )
      default:
        return Effect.succeed(reply)
    }
  },
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
  /** What was logged, as text. */
  readonly logs: Array<string>
}

/** Serves real groups of the contract, with handlers that answer with what they were given. */
export const makeFixture = (
  options: Partial<HttpServerOptions> = {},
): Effect.Effect<Fixture, ListenFailed, Scope.Scope> => {
  const steering: Steering = {
    streams: [],
    streamPrincipals: [],
    held: [],
    heldDone: 0,
    last: undefined,
  }
  const logs: Array<string> = []
  const logger = Logger.make((entry) => logs.push(Logger.formatSimple.log(entry)))
  return Effect.gen(function* () {
    const routes = [
      ...(yield* bindApi(contract, makeHandlers(steering))),
      ...documentRoutes(undefined, "http://localhost:3000"),
      yield* metricsRoute({ token: undefined, isProduction: false, storeGauges: Effect.succeed([]) }),
    ]
    const server = yield* serve({ host: "127.0.0.1", port: 0, routes, chance: () => 0.5, ...options })
    return { server, steering, logs, origin: `http://127.0.0.1:${server.port}` }
  }).pipe(Effect.provide([authenticator, sessionAuthenticator(), browserRequests(), Logger.layer([logger])]))
}

/** Runs a test on a fixture of its own. */
export const inFixture =
  (run: (fixture: Fixture) => Promise<void>, options: Partial<HttpServerOptions> = {}) =>
  (): Effect.Effect<void, ListenFailed, Scope.Scope> =>
    Effect.gen(function* () {
      const fixture = yield* makeFixture(options)
      yield* Effect.promise(() => run(fixture))
    })

/** GET of a charge, as raw text. `extra` is whole header lines. */
export const getTransaction = (id: string, extra = "", key = goodKey): string =>
  `GET /v1/transactions/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${extra}\r\n`

/** Head of a POST that creates a charge, as raw text. `extra` is whole header lines. */
export const postHead = (extra: string): string =>
  `POST /v1/transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\n${extra}\r\n`

/** A turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Waits, turn by turn, for what the server does on its own. */
export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await turn()
}

/** Opens a stream and writes a comment to it, since its head leaves only with the first write. */
export const openStream = async (
  { origin, steering }: Fixture,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> => {
  const before = steering.streams.length
  let response: Response | undefined
  const answered = fetch(origin + path, { headers }).then((found) => {
    response = found
    return found
  })
  await until(() => response !== undefined || steering.streams.length > before)
  steering.streams[before]?.write(Buffer.from(":\n\n"))
  return answered
}

/** `Authorization` with the key that works. */
export const authorized = { authorization: `Bearer ${goodKey}` }

/** A body that creates a charge. */
export const goodCharge = {
  amount: 1990,
  payment_method: "pix",
  customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Camiseta", quantity: 1, unit_amount: 1990 }],
}

/** Creates a charge; `headers` replace those of a good request, and are left out where undefined. */
export const createCharge = (
  { origin }: Fixture,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> => {
  const all = {
    ...authorized,
    "content-type": "application/json",
    "idempotency-key": "order-1042",
    ...headers,
  }
  const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const isRaw = typeof body === "string" || body instanceof Uint8Array
  return fetch(`${origin}/v1/transactions`, {
    method: "POST",
    headers: present,
    body: isRaw ? (body as string) : JSON.stringify(body),
  })
}

export interface ErrorBody {
  readonly error: {
    readonly type: string
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly request_id: string
    readonly details?: unknown
  }
}

/** The error of an answer, after checking that it is the envelope and repeats the request's id. */
export const errorOf = async (response: Response): Promise<ErrorBody["error"]> => {
  expect(response.headers.get("content-type")).toBe("application/json")
  const { error, ...rest } = (await response.json()) as ErrorBody
  expect(rest).toEqual({})
  expect(Schema.is(ErrorEnvelope)({ error })).toBe(true)
  expect(error.request_id).toBe(response.headers.get("x-request-id"))
  return error
}
