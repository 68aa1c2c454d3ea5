import { createHmac } from "node:crypto"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Inbox, InboxLive } from "../../../actors/inbox/inbox.ts"
import { type Acquirer, Acquirers, type Notice, NoticeSources } from "../../../actors/ports/acquirer.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { InboxStore } from "../../../actors/ports/inboxStore.ts"
import { PartitionCount } from "../../../actors/ports/partitionCount.ts"
import { DocumentSealer } from "../../../actors/ports/secretOpener.ts"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import type { NoticedTransfer, ReconcileAnswer } from "../../../actors/seller/decisions/noticeAnswer.ts"
import type { ReconcileChargeRequest } from "../../../actors/seller/operations/reconcileCharge.ts"
import type { ReconcilePayoutRequest } from "../../../actors/seller/operations/reconcilePayout.ts"
import type { ReconcileRefundRequest } from "../../../actors/seller/operations/reconcileRefund.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { makeId, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { silentAcquirer } from "../support/acquirer.ts"
import { identifiers } from "../support/process.ts"

export const partitions = 8
export const startMillis = 1_795_000_000_000
export const secret = "of the acquirer"
export const endToEndId = "E1234567820261121000712345678901"
export const chargeId = makeId("txn_", startMillis, 5, new Uint8Array(14).fill(1))
export const refundId = makeId("rfd_", startMillis, 5, new Uint8Array(14).fill(3))
export const payoutOf = makeId("wd_", startMillis, 6, new Uint8Array(14).fill(2))

export const noticeOf = (overrides: Partial<Notice> = {}): Notice => ({
  eventType: "pix.received",
  providerEventId: `${endToEndId}:received`,
  txid: txidOf(chargeId),
  payoutId: undefined,
  endToEndId,
  refundId: undefined,
  ...overrides,
})

export type NoticeRequest = ReconcileChargeRequest | ReconcilePayoutRequest | ReconcileRefundRequest

/** The inbox on the store in memory; bodies are notices as JSON, and reconciliations are answered as scripted. */
export const makeBench = (
  answers: Record<string, ReconcileAnswer> = {},
  inboxBytesMax: number = limits.inboxBytesMaxDefault,
  pix: NonNullable<Acquirer["queryPix"]> = () => Effect.succeed(undefined),
) => {
  const asked: Array<readonly [id: string, endToEndId?: string | undefined, refundId?: string | undefined]> =
    []
  const say = (id: string, noticed?: NoticedTransfer) =>
    Effect.sync(() => {
      asked.push(noticed === undefined ? [id] : [id, noticed.endToEndId, noticed.refundId])
      return answers[id] ?? ({ kind: "settled", note: undefined } as const)
    })
  /** Stands in for the sellers' actors, which get only reconciliations here. */
  const door = ((_: unknown, request: NoticeRequest) => {
    if ("transactionId" in request) return say(request.transactionId, request.noticed)
    return say("refundId" in request ? request.refundId : request.withdrawalId)
  }) as SellerActors["Service"]["ask"]
  const acquirer: Acquirer = {
    ...silentAcquirer,
    slug: "acquirer",
    queryPix: (id) => Effect.suspend(() => pix(id)),
  }
  const read = (rawBody: string) => JSON.parse(rawBody) as ReadonlyArray<Notice>
  const world = Layer.mergeAll(
    MemoryStoreLive({ partitions, inboxBytesMax }),
    Layer.succeed(NoticeSources, new Map([["acquirer", { slug: "acquirer", secret, read }]])),
    Layer.succeed(DocumentSealer, { seal: (text) => `sealed:${text}` }),
    Layer.succeed(PartitionCount, { partitions }),
    Layer.succeed(Acquirers, { live: acquirer, test: silentAcquirer }),
    Layer.succeed(SellerActors, { ask: door, size: () => 0 }),
    Layer.succeed(Identifiers, identifiers),
  )
  return { asked, answers, layer: InboxLive.pipe(Layer.provideMerge(world)) }
}

export const post = (
  notices: ReadonlyArray<Notice>,
  { slug = "acquirer", headers = {}, signature, hmac }: Partial<Call> = {},
) => {
  const rawBody = Buffer.from(JSON.stringify(notices))
  const right = createHmac("sha256", secret).update(rawBody).digest("hex")
  const signed = { ...headers, "x-webhook-signature": signature ?? right }
  return Effect.flatMap(Inbox, (inbox) => inbox.receive({ slug, hmac, rawBody, headers: signed }))
}
export interface Call {
  readonly slug: string
  readonly headers: Readonly<Record<string, string>>
  readonly signature: string
  readonly hmac: string
}

export const stored = Effect.flatMap(InboxStore, (store) =>
  store.list({ state: undefined, beforeId: undefined, limit: 1_000 }),
)

/** Claims what is due in every partition, and processes it. */
export const fire = Effect.gen(function* () {
  const queue = yield* TimerQueue
  const inbox = yield* Inbox
  for (let partition = 0; partition < partitions; partition++) {
    const { due } = yield* queue.claim(partition, 100)
    yield* Effect.forEach(due, inbox.process)
  }
})

export const runs = <A, E, R>(bench: { readonly layer: Layer.Layer<R> }, program: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(startMillis), program).pipe(Effect.provide(bench.layer))
