import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import type { Notice, NoticeSource } from "../../../actors/ports/acquirer.ts"
import { apiPixSlug } from "./slug.ts"
import { maybe, WireId } from "./wire.ts"

const WireNotice = Schema.Struct({
  endToEndId: maybe(WireId),
  txid: maybe(WireId),
  status: maybe(WireId),
  devolucoes: maybe(Schema.Array(Schema.Struct({ id: WireId, status: maybe(WireId) }))),
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

/** An unreadable body, or part of one; stored for people to inspect. */
const unreadable = (rawBody: string): Notice => ({
  eventType: null,
  providerEventId: `sha256:${createHash("sha256").update(rawBody).digest("hex")}`,
  txid: undefined,
  payoutId: undefined,
  endToEndId: undefined,
  refundId: undefined,
})

/** The notices of one item of `pix`; none if the item names nothing that could be queried. */
const noticesOf = (item: WireNotice): ReadonlyArray<Notice> => {
  const endToEndId = item.endToEndId ?? undefined
  const payoutId = item.gnExtras?.idEnvio ?? undefined
  if (payoutId !== undefined) {
    const providerEventId = `${endToEndId ?? payoutId}:sent:${item.status ?? noStatus}`
    return [
      { eventType: "pix.sent", providerEventId, txid: undefined, payoutId, endToEndId, refundId: undefined },
    ]
  }
  if (endToEndId === undefined) return []
  const common = { txid: item.txid ?? undefined, payoutId: undefined, endToEndId }
  const refunds = item.devolucoes ?? []
  if (refunds.length === 0) {
    return [
      {
        eventType: "pix.received",
        providerEventId: `${endToEndId}:received`,
        ...common,
        refundId: undefined,
      },
    ]
  }
  return refunds.map(({ id, status }) => ({
    eventType: "pix.refund",
    providerEventId: `${endToEndId}:refund:${id}:${status ?? noStatus}`,
    ...common,
    refundId: status === refundDone ? id : undefined,
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
