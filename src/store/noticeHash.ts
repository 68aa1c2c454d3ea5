import type { ReceivedNotice, StoredNotice } from "../../actors/ports/inboxStore.ts"

/** What is received of a notice as names and values of its hash; an absent value is the empty text. */
export const receivedFields = (notice: ReceivedNotice): ReadonlyArray<string> => [
  ...["acquirer", notice.acquirerSlug, "provider_event_id", notice.providerEventId],
  ...["event_type", notice.eventType ?? "", "received_at", notice.receivedAt],
  ...["transaction", notice.transactionId ?? "", "withdrawal", notice.withdrawalId ?? ""],
  ...[
    "end_to_end_id",
    notice.endToEndId ?? "",
    "refund_id",
    notice.refundId ?? "",
    "body",
    notice.body,
    "headers",
    notice.headers,
  ],
]

/** A notice from its hash; undefined where there is none. */
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
        body: record.body ?? "",
        headers: record.headers ?? "",
        attempts: Number(record.attempts ?? 0),
        processedAt: record.processed_at || undefined,
        error: record.error || undefined,
        reprocessedAt: record.reprocessed_at || undefined,
      }
