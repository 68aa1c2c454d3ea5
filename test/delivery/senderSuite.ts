import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import type { AttemptRequest } from "../../actors/ports/sender.ts"
import { limits } from "../../schema/limits.ts"
import { DnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { SenderLive } from "../../src/delivery/sender/sender.ts"
import type { CertificateKind } from "../support/tlsReceiver.ts"
import { attemptTo, send } from "./senderTesting.ts"

/** What a destination does with what it was sent. All but `refuses` keep it. */
export type Conduct =
  | { readonly kind: "takes"; readonly after?: Promise<unknown> }
  | { readonly kind: "hangs" }
  /** Keeps it, and resets the connection without a word. */
  | { readonly kind: "forgetsToAnswer" }
  /** Does so once, and takes all that follows. */
  | { readonly kind: "forgetsOnce" }
  /** Breaks off in the middle of its answer, before that says anything. */
  | { readonly kind: "breaksOff" }
  /** Answers far more than anybody reads. */
  | { readonly kind: "babbles" }

/** What a destination was sent, with names in lower case. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly serverName: string | null
}

/** A destination under test. */
export interface Stand {
  /** As `WEBHOOK_ALLOW_DESTINATIONS` takes it. */
  readonly origin: string
  readonly url: string
  readonly caFile: string
  readonly behave: (conduct: Conduct) => void
  readonly received: () => ReadonlyArray<Sent>
  readonly waitFor: (count: number) => Promise<void>
  readonly connections: () => { readonly total: number; readonly open: number }
  readonly waitForOpenConnections: (countMax: number) => Promise<void>
}

/** One kind of destination behind the port. */
export interface DestinationKind {
  readonly name: string
  readonly start: (options?: {
    readonly names?: ReadonlyArray<string>
    readonly certificate?: CertificateKind
  }) => Effect.Effect<Stand, never, Scope.Scope>
  /** A URL at a name that nobody has exempted. */
  readonly urlAt: (name: string) => string
  /** A URL of this origin where nobody listens. */
  readonly nobody: { readonly origin: string; readonly url: string }
  /** What an attempt says of an answer that is no answer. */
  readonly babble: { readonly outcome: "success" | "failed"; readonly error: string | null }
}

const senderTo = (stand: { origin: string; caFile?: string }, addresses: ReadonlyArray<string>) =>
  SenderLive({
    allowDestinations: new Set([stand.origin]),
    ...(stand.caFile === undefined ? {} : { caFile: stand.caFile }),
  }).pipe(
    Layer.provide(
      Layer.succeed(DnsResolver, {
        resolve: () => Effect.succeed(addresses),
        lookup: () => Effect.succeed(addresses),
      }),
    ),
  )

const secrets = [
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYA",
  "whsec_BfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYA",
]

/** What the port promises, for one kind of destination. */
export const senderSuite = ({ name, start, urlAt, nobody, babble }: DestinationKind) => {
  const request = (url: string, changes: Partial<AttemptRequest> = {}) =>
    attemptTo(url, { urlPassword: "p@ss word", ...changes })
  const at = (stand: Stand) => senderTo(stand, ["127.0.0.1"])
  const attempt = (stand: Stand, changes: Partial<AttemptRequest> = {}) =>
    send(request(stand.url, changes)).pipe(Effect.provide(at(stand)))

  describe(`${name}: what every destination is promised`, () => {
    it.effect("it gets body and headers as they were signed, and the attempt succeeds", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        yield* TestClock.setTime(Date.now())
        const body = '{"id":"evt_1","note":"açaí 💸\\r\\n",  "spaced": 1}'
        const result = yield* attempt(stand, { body, attempt: 3 })
        expect(result).toMatchObject({ outcome: "success", retriable: false, error: null })
        expect(result.responseMillis).toBeGreaterThanOrEqual(0)
        const [got, ...more] = stand.received()
        expect(more).toEqual([])
        expect(got?.body).toBe(body)
        expect(got?.headers).toMatchObject({ "webhook-id": "evt_1", "x-attempt": "3", "x-event-id": "evt_1" })
        expect(new Webhook(secrets[0] ?? "").verify(body, got?.headers ?? {})).toBeTruthy()
        for (const [header, value] of Object.entries(result.requestHeaders)) {
          expect([header, got?.headers[header.toLowerCase()]]).toEqual([header, value])
        }
      }),
    )

    it.effect("during a rotation both secrets verify it", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        yield* TestClock.setTime(Date.now())
        yield* attempt(stand, { secrets })
        const [got] = stand.received()
        for (const secret of secrets) {
          expect(new Webhook(secret).verify(got?.body ?? "", got?.headers ?? {})).toBeTruthy()
        }
      }),
    )

    it.effect("it may be slow: an answer within the deadline counts", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        let answer = (_: unknown) => {}
        stand.behave({ kind: "takes", after: new Promise((resolve) => (answer = resolve)) })
        const running = yield* Effect.forkChild(attempt(stand))
        yield* Effect.promise(() => stand.waitFor(1))
        yield* TestClock.adjust(limits.attemptTimeoutMillis - 1)
        answer(undefined)
        expect(yield* Fiber.join(running)).toMatchObject({ outcome: "success" })
      }),
    )

    it.effect("where it hangs, the attempt ends at its deadline and leaves no connection", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        stand.behave({ kind: "hangs" })
        const running = yield* Effect.forkChild(attempt(stand))
        yield* Effect.promise(() => stand.waitFor(1))
        yield* TestClock.adjust(limits.attemptTimeoutMillis - 1)
        expect(running.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(running)).toMatchObject({
          outcome: "failed",
          retriable: true,
          error: "timeout",
        })
        yield* Effect.promise(() => stand.waitForOpenConnections(0))
      }),
    )

    it.effect("where nobody listens, the attempt has failed and is retried", () =>
      Effect.gen(function* () {
        const result = yield* send(request(nobody.url)).pipe(Effect.provide(senderTo(nobody, ["127.0.0.1"])))
        expect(result).toMatchObject({
          outcome: "failed",
          retriable: true,
          error: "connection_error",
          statusCode: null,
        })
      }),
    )

    it.effect("where it breaks off in its answer, the attempt has failed and is retried", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        stand.behave({ kind: "breaksOff" })
        const result = yield* attempt(stand)
        expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
      }),
    )

    it.effect("what it answers is kept to 1 KiB, and a connection full of more is closed", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        stand.behave({ kind: "babbles" })
        yield* Effect.gen(function* () {
          const result = yield* send(request(stand.url))
          expect(result).toMatchObject(babble)
          expect((result.responseBodyExcerpt ?? "").length).toBeLessThanOrEqual(limits.responseExcerptBytes)
          yield* Effect.promise(() => stand.waitForOpenConnections(0))
        }).pipe(Effect.provide(at(stand)))
      }),
    )

    it.effect("where nobody knows whether it has the event, it gets it again under the same webhook-id", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        stand.behave({ kind: "forgetsToAnswer" })
        const first = yield* attempt(stand, { deliveryId: "whd_1" })
        expect(first).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
        stand.behave({ kind: "takes" })
        const second = yield* attempt(stand, { deliveryId: "whd_2", attempt: 2 })
        expect(second.outcome).toBe("success")
        const ids = stand.received().map(({ headers }) => [headers["webhook-id"], headers["x-delivery-id"]])
        expect(ids).toEqual([
          ["evt_1", "whd_1"],
          ["evt_1", "whd_2"],
        ])
      }),
    )

    it.effect("attempts made one after the other arrive in their order, over one connection", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        const ids = Array.from({ length: 20 }, (_, i) => `evt_${i}`)
        yield* Effect.forEach(ids, (eventId) => send(request(stand.url, { eventId }))).pipe(
          Effect.provide(at(stand)),
        )
        expect(stand.received().map(({ headers }) => headers["webhook-id"])).toEqual(ids)
        expect(stand.connections().total).toBe(1)
      }),
    )

    it.effect("a kept connection that it has closed meanwhile costs no attempt", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        yield* Effect.gen(function* () {
          expect((yield* send(request(stand.url))).outcome).toBe("success")
          stand.behave({ kind: "forgetsOnce" })
          expect((yield* send(request(stand.url, { eventId: "evt_2" }))).outcome).toBe("success")
          expect(stand.connections().total).toBe(2)
        }).pipe(Effect.provide(at(stand)))
      }),
    )

    it.effect.each(["otherName", "otherAuthority", "expired"] as const)(
      "it gets nothing under a certificate that is %s",
      (certificate) =>
        Effect.gen(function* () {
          const stand = yield* start({ certificate })
          const result = yield* attempt(stand)
          expect(result).toMatchObject({ outcome: "failed", retriable: true, error: "connection_error" })
          expect(stand.received()).toEqual([])
        }),
    )

    it.effect("it is reached at the checked address alone, under its own name", () =>
      Effect.gen(function* () {
        const stand = yield* start({ names: ["hooks.example.test"] })
        const { outcome, targetHost } = yield* attempt(stand)
        expect([outcome, targetHost]).toEqual(["success", new URL(stand.url).host])
        expect(stand.received()[0]?.serverName).toBe("hooks.example.test")
      }),
    )

    it.effect("at an address that is not public it gets nothing, whatever its name, and that is final", () =>
      Effect.gen(function* () {
        for (const address of ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "::ffff:10.0.0.8"]) {
          const result = yield* send(request(urlAt("hooks.example.com"))).pipe(
            Effect.provide(senderTo(nobody, ["93.184.216.34", address])),
          )
          expect([address, result.error, result.retriable]).toEqual([address, "blocked_destination", false])
          expect(result.requestHeaders).toEqual({})
        }
      }),
    )

    it.effect("without the secret that it needs it gets nothing", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        const result = yield* attempt(stand, { secrets: [] })
        expect(result).toMatchObject({ outcome: "failed", retriable: false, error: "missing_secret" })
        expect(stand.connections().total).toBe(0)
      }),
    )

    it.effect("an attempt that is cancelled leaves no connection", () =>
      Effect.gen(function* () {
        const stand = yield* start()
        stand.behave({ kind: "hangs" })
        const running = yield* Effect.forkChild(attempt(stand))
        yield* Effect.promise(() => stand.waitFor(1))
        yield* Fiber.interrupt(running)
        yield* Effect.promise(() => stand.waitForOpenConnections(0))
      }),
    )
  })
}
