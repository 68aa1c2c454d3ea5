import { channel } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { Effect, Layer } from "effect"
import { type AttemptRequest, Sender } from "../../actors/ports/sender.ts"
import { DnsResolver, layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { SenderLive, type SenderOptions } from "../../src/delivery/sender/sender.ts"
import {
  type Behaviour,
  startTlsReceiver,
  type TlsReceiver,
  type TlsReceiverOptions,
} from "../support/tlsReceiver.ts"

/** A receiver for as long as the test runs. */
export const receiver = (options?: TlsReceiverOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startTlsReceiver(options)),
    (started) => Effect.promise(() => started.close()),
  )

/** The request of a signed first attempt to a URL. */
export const attemptTo = (url: string, changes: Partial<AttemptRequest> = {}): AttemptRequest => ({
  url,
  body: '{"id":"evt_1","type":"transaction.paid"}',
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYA"],
  secretRequired: true,
  eventId: "evt_1",
  eventType: "transaction.paid",
  deliveryId: "whd_1",
  attempt: 1,
  ...changes,
})

/** Sends an attempt by the `Sender` in context. */
export const send = (request: AttemptRequest) => Sender.use((sender) => sender.send(request))

/** The real sender, trusting and allowing these receivers. */
export const senderFor = (receivers: ReadonlyArray<TlsReceiver>, options: Partial<SenderOptions> = {}) =>
  SenderLive({
    allowDestinations: new Set(receivers.map((one) => one.origin)),
    ...(receivers[0] === undefined ? {} : { caFile: receivers[0].caFile }),
    ...options,
  }).pipe(Layer.provide(layerDnsResolver()))

/** The real sender, with `answer` in place of DNS. */
export const senderResolving = (
  receivers: ReadonlyArray<TlsReceiver>,
  answer: (hostname: string) => Effect.Effect<ReadonlyArray<string>>,
) =>
  SenderLive({
    allowDestinations: new Set(receivers.map((one) => one.origin)),
    ...(receivers[0] === undefined ? {} : { caFile: receivers[0].caFile }),
  }).pipe(Layer.provide(Layer.succeed(DnsResolver, { resolve: answer, lookup: answer })))

/**
 * Waits until the HTTP client next reads headers or a chunk of a body; start it before the attempt. A receiver knows
 * only what it wrote, and a test that moves the clock must know what was read.
 */
export const nextRead = (what: "headers" | "bodyChunkReceived") =>
  Effect.callback<void>((resume) => {
    const read = channel(`undici:request:${what}`)
    // The channel publishes before the attempt gets the read.
    const listener = () => setImmediate(() => resume(Effect.void))
    read.subscribe(listener)
    return Effect.sync(() => read.unsubscribe(listener))
  })

/**
 * Waits until the next connection has brought something to read, be it only an interim answer, of which the HTTP client
 * hears nothing; start it before the attempt.
 */
export const nextBytes = Effect.callback<void>((resume) => {
  const connected = channel("undici:client:connected")
  const listener = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket }
    socket.once("readable", () => setImmediate(() => resume(Effect.void)))
  }
  connected.subscribe(listener)
  return Effect.sync(() => connected.unsubscribe(listener))
})

/** One attempt to a receiver with a behaviour. */
export const attemptAgainst = (behaviour: Behaviour) =>
  Effect.gen(function* () {
    const target = yield* receiver({ behaviour })
    return yield* send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target])))
  })
