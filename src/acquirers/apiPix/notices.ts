import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import type { Notice, NoticeSource } from "../../../actors/ports/acquirer.ts"
import { apiPixSlug, maybe, WireId } from "./wire.ts"

/** What went back of a Pix, or came back of a payout, whose returns need no id. */
const WireReturn = Schema.Struct({
  id: maybe(WireId),
  rtrId: Schema.optional(Schema.Unknown),
  valor: Schema.optional(Schema.Unknown),
  status: maybe(WireId),
})
type WireReturn = typeof WireReturn.Type

const WireNotice = Schema.Struct({
  endToEndId: maybe(WireId),
  txid: maybe(WireId),
  status: maybe(WireId),
  devolucoes: maybe(Schema.Array(WireReturn)),
  gnExtras: maybe(Schema.Struct({ idEnvio: maybe(WireId) })),
})
type WireNotice = typeof WireNotice.Type

const decodeBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ pix: Schema.Array(Schema.Unknown) })),
)
const decodeNotice = Schema.decodeUnknownOption(WireNotice)

/** The status of a completed refund (API Pix v2). */
const refundDone = "DEVOLVIDO"
/** Stands in for an omitted status. */
const noStatus = "none"

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** An unreadable body, or part of one; stored for people to inspect. */
const unreadable = (rawBody: string): Notice => ({
  eventType: null,
  providerEventId: `sha256:${digestOf(rawBody)}`,
  txid: undefined,
  payoutId: undefined,
  endToEndId: undefined,
  refundId: undefined,
})

/** Tells what came back of a payout from anything else that may come back of it, in whatever order it is listed. */
const returnsKeyOf = (returns: ReadonlyArray<WireReturn>): string => {
  if (returns.length === 0) return ""
  const facts = returns.map(({ id, rtrId, valor, status }) => JSON.stringify([id, rtrId, valor, status]))
  return `:${digestOf(facts.toSorted().join()).slice(0, 32)}`
}

const payoutNotice = (item: WireNotice, payoutId: string): Notice => {
  const endToEndId = item.endToEndId ?? undefined
  const state = `${item.status ?? noStatus}${returnsKeyOf(item.devolucoes ?? [])}`
  const providerEventId = `${endToEndId ?? payoutId}:sent:${state}`
  return {
    eventType: "pix.sent",
    providerEventId,
    txid: undefined,
    payoutId,
    endToEndId,
    refundId: undefined,
  }
}

/** The notices of one item of `pix`; none if the item names nothing that could be queried. */
const noticesOf = (item: WireNotice): ReadonlyArray<Notice> => {
  const endToEndId = item.endToEndId ?? undefined
  const payoutId = item.gnExtras?.idEnvio ?? undefined
  if (payoutId !== undefined) return [payoutNotice(item, payoutId)]
  const refunds = item.devolucoes ?? []
  if (endToEndId === undefined || refunds.some(({ id }) => typeof id !== "string")) return []
  const txid = item.txid ?? undefined
  const common = { txid, payoutId: undefined, endToEndId }
  // One that names no charge was about nothing of ours; a later one that names it is new.
  const transfer = txid === undefined ? `${endToEndId}:no-txid` : endToEndId
  if (refunds.length === 0) {
    const providerEventId = `${transfer}:received`
    return [{ eventType: "pix.received", providerEventId, ...common, refundId: undefined }]
  }
  return refunds.map(({ id, status }) => ({
    eventType: "pix.refund",
    providerEventId: `${transfer}:refund:${id}:${status ?? noStatus}`,
    ...common,
    refundId: status === refundDone ? (id ?? undefined) : undefined,
  }))
}

/**
 * All notices of a body `{"pix": [...]}`; its length bounds them (docs/partner.md#notices). An unreadable body is one
 * notice without a type, and so are all unreadable items together.
 */
export const readNotices = (rawBody: string): ReadonlyArray<Notice> => {
  const body = decodeBody(rawBody)
  if (Option.isNone(body)) return [unreadable(rawBody)]
  const items = body.value.pix.map((item) =>
    Option.match(decodeNotice(item), { onNone: () => [], onSome: noticesOf }),
  )
  const isWhole = items.length > 0 && items.every((notices) => notices.length > 0)
  return isWhole ? items.flat() : [...items.flat(), unreadable(rawBody)]
}

/** The notices of API Pix; `secret` is `API_PIX_WEBHOOK_SECRET`. */
export const apiPixNotices = (secret: string | undefined): NoticeSource => ({
  slug: apiPixSlug,
  secret,
  read: readNotices,
})
