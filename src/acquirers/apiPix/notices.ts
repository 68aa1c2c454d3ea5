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

/** The status of a refund that is done (API Pix v2). */
const refundDone = "DEVOLVIDO"
/** Stands for a status that the partner left out. */
const noStatus = "none"

/** A body, or a part of it, that cannot be read: it is stored for people to look at. */
const unreadable = (rawBody: string): Notice => ({
  eventType: null,
  providerEventId: `sha256:${createHash("sha256").update(rawBody).digest("hex")}`,
  txid: undefined,
  payoutId: undefined,
  endToEndId: undefined,
  refundId: undefined,
})

/** The notices of one item of `pix`; none for an item that names nothing we could ask for. */
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
 * The notices of a webhook body `{"pix": [...]}`, all of them: the body's length bounds them. A body that cannot be read is
 * one notice without a type, and so are all items together that cannot be read beside others that can.
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

/** The webhook of api-pix; `secret` is `API_PIX_WEBHOOK_SECRET`. */
export const apiPixNotices = (secret: string | undefined): NoticeSource => ({
  slug: apiPixSlug,
  secret,
  read: readNotices,
})
