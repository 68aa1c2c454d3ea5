/** A notice's body and headers, as ciphertext. */
export interface NoticeContent {
  readonly body: string
  readonly headers: string
}

/** An acquirer's notice as received. */
export interface ReceivedNotice {
  /** `inb_…`; its partition is the charge's or withdrawal's, where the notice names one. */
  readonly id: string
  readonly acquirerSlug: string
  readonly providerEventId: string
  readonly eventType: string | undefined
  readonly signatureValid: boolean
  readonly receivedAt: string
  readonly transactionId: string | undefined
  readonly withdrawalId: string | undefined
  readonly endToEndId: string | undefined
  readonly refundId: string | undefined
  /** SHA-256 of the body it came in, in base64url. */
  readonly bodyHash: string
  /** A body is kept once, with one of its notices; the others name that notice. */
  readonly content: NoticeContent | { readonly noticeId: string }
}

/** Redis memory of a notice besides its texts: its hash, indexes, timer and deduplication key. */
const noticeOverheadBytes = 1_500

/** A notice's size in its partition's inbox, in bytes. */
export const noticeBytes = ({ content, providerEventId }: ReceivedNotice): number =>
  noticeOverheadBytes +
  2 * providerEventId.length +
  ("noticeId" in content ? 0 : content.body.length + content.headers.length)

/** The timer of a notice that waits to be processed. */
export const noticeTimerName = "process"
