import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { Inbox } from "../../../actors/inbox/inbox.ts"
import { InboxStore } from "../../../actors/ports/inboxStore.ts"
import { noticeTimerName } from "../../../actors/values/receivedNotice.ts"
import { readNotices } from "../../../src/acquirers/apiPix/notices.ts"
import { noticeSecret } from "../process.ts"
import type { History } from "./history.ts"
import type { Payout, Pix } from "./partnerAccount.ts"
import type { Delivery } from "./steps.ts"
import { StoreReads } from "./storeReads.ts"

const decimalOf = (centavos: number): string => (centavos / 100).toFixed(2)

/** The notice of a Pix and of what went back of it, as API Pix writes it. */
export const bodyOfPix = ({ endToEndId, txid, amount, backs }: Pix): string => {
  const done = backs.filter(({ status }) => status === "done")
  const devolucoes = done.map(({ id }) => ({ id, status: "DEVOLVIDO" }))
  const item = { endToEndId, txid, valor: decimalOf(amount) }
  return JSON.stringify({ pix: [done.length === 0 ? item : { ...item, devolucoes }] })
}

/** The notice of a payout that has ended. */
export const bodyOfPayout = ({ payoutId, endToEndId, amount, status }: Payout): string =>
  JSON.stringify({
    pix: [
      {
        ...{ endToEndId, valor: decimalOf(amount), gnExtras: { idEnvio: payoutId } },
        status: status === "paid" ? "REALIZADO" : "NAO_REALIZADO",
      },
    ],
  })

/** Lets the partner send a notice about a charge or withdrawal, as often as it does; it arrives later. */
export const notify = (
  told: History,
  id: string,
  body: string,
  { times, isForged, place }: Delivery,
): void => {
  // A forgery comes as well: it must not keep the genuine notice out.
  if (isForged) told.notices.push({ body, isForged, place: place - 1 })
  if (times === 0) return
  told.bodies.set(id, (told.bodies.get(id) ?? new Set()).add(body))
  for (let n = 0; n < times; n++) {
    told.notices.push({ body, isForged: false, place: (place * (n + 1)) % 997 })
  }
}

const send = Effect.fnUntraced(function* (body: string, isForged: boolean) {
  const inbox = yield* Inbox
  const secret = isForged ? "somebody else's secret" : noticeSecret
  return yield* inbox.receive({
    slug: "acquirer",
    rawBody: Buffer.from(body),
    headers: { "x-webhook-signature": createHmac("sha256", secret).update(body).digest("hex") },
  })
})

/** The inbox's records of the rightly signed notices about a charge or withdrawal, by the keys that detect repetitions. */
export const recordsOf = Effect.fnUntraced(function* (id: string, bodies: Iterable<string>) {
  const reads = yield* StoreReads
  const store = yield* InboxStore
  const names = new Set(
    [...bodies].flatMap((body) => readNotices(body).map((notice) => notice.providerEventId)),
  )
  const found = yield* reads.noticeIds(id, [...names])
  const records = yield* Effect.forEach(found, store.load)
  return records.filter((record) => record !== undefined)
})

/** Processes the notices about a charge or withdrawal that are due, as the scheduler would by their timers; answers how many. */
const processAll = Effect.fnUntraced(function* (id: string, bodies: Iterable<string>) {
  const inbox = yield* Inbox
  const due = (yield* recordsOf(id, bodies)).filter(({ processedAt }) => processedAt === undefined)
  for (const notice of due) {
    yield* inbox.process({ name: noticeTimerName, resourceId: notice.id, leaseEndMillis: 0 })
  }
  return due.length
})

/** Delivers the notices that wait, in their order. */
export const deliver = async (told: History): Promise<void> => {
  const waiting = told.notices.splice(0).toSorted((one, other) => one.place - other.place)
  await told.run(Effect.forEach(waiting, ({ body, isForged }) => send(body, isForged), { discard: true }))
}

/** Processes what the configured account's notices, and those of the other, say of charges and withdrawals. */
export const processNotices = async (told: History): Promise<void> => {
  for (const { id, side } of [...told.charges, ...told.withdrawals]) {
    const bodies = told.bodies.get(id)
    if (bodies === undefined) continue
    const processed = await told.run(processAll(id, bodies))
    // A withdrawal's own timer tells of the other account; a notice of a charge does.
    if (processed > 0 && side !== told.at && id.startsWith("txn_")) told.touched.add(id)
  }
}
