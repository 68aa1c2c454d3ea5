import type { StoredNotice } from "../../../actors/ports/inboxStore.ts"
import type { NoticeContent, ReceivedNotice } from "../../../actors/values/receivedNotice.ts"

/** A received notice as names and values of its hash; an absent value is an empty string. */
export const receivedFields = (notice: ReceivedNotice): ReadonlyArray<string> => [
  ...["acquirer", notice.acquirerSlug, "provider_event_id", notice.providerEventId],
  ...["event_type", notice.eventType ?? "", "received_at", notice.receivedAt],
  ...["transaction", notice.transactionId ?? "", "withdrawal", notice.withdrawalId ?? ""],
  ...["end_to_end_id", notice.endToEndId ?? "", "refund_id", notice.refundId ?? ""],
  ...("noticeId" in notice.content
    ? ["body_of", notice.content.noticeId]
    : ["body", notice.content.body, "headers", notice.content.headers]),
]

/** The fields that are read of a notice: all but body and headers, which may be long. */
export const noticeFields = [
  ...["acquirer", "provider_event_id", "event_type", "signature_valid", "received_at", "transaction"],
  ...["withdrawal", "end_to_end_id", "refund_id", "body_hash"],
  ...["attempts", "processed_at", "error", "reprocessed_at"],
]

/** The fields that hold body and headers; `body_of` names the notice that has them instead. */
export const contentFields = ["body", "headers", "body_of"]

/** Body and headers, or the id of the notice that has them; undefined if there are none. */
export const readContent = (
  record: Readonly<Record<string, string>>,
): NoticeContent | { readonly noticeId: string } | undefined => {
  if (record.body_of) return { noticeId: record.body_of }
  return record.body === undefined ? undefined : { body: record.body, headers: record.headers ?? "" }
}

/** Reads a notice's hash; undefined if there is none. */
export const readNotice = (id: string, record: Readonly<Record<string, string>>): StoredNotice | undefined =>
  record.received_at === undefined
    ? undefined
    : {
        id,
        acquirerSlug: record.acquirer ?? "",
        providerEventId: record.provider_event_id ?? "",
        eventType: record.event_type || undefined,
        signatureValid: record.signature_valid === "1",
        receivedAt: record.received_at,
        transactionId: record.transaction || undefined,
        withdrawalId: record.withdrawal || undefined,
        endToEndId: record.end_to_end_id || undefined,
        refundId: record.refund_id || undefined,
        bodyHash: record.body_hash ?? "",
        attempts: Number(record.attempts ?? 0),
        processedAt: record.processed_at || undefined,
        error: record.error || undefined,
        reprocessedAt: record.reprocessed_at || undefined,
      }
