import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { partitionOfId, transactionIdOfTxid, withdrawalIdOfPayout } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type Notice, type NoticeSource, NoticeSources } from "../ports/acquirer.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { InboxStore } from "../ports/inboxStore.ts"
import { PartitionCount } from "../ports/partitionCount.ts"
import { DocumentSealer } from "../ports/secretOpener.ts"
import type { NoticeContent, ReceivedNotice } from "../values/receivedNotice.ts"
import { sealedPlaces } from "../values/sealedPlaces.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { isSignatureValid, signatureHeader } from "./signature.ts"

/** A webhook call as it arrived; header names are lower case. */
export interface InboundCall {
  readonly slug: string
  /** The secret that its address bears; neither logged nor stored. */
  readonly hmac?: string | undefined
  readonly rawBody: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The answer to an acquirer. `unknownSlug`, `badSignature` and `full` are refusals. A body with a bad signature is recorded;
 * of a body that found no room some notices may be, and the whole body must be sent again.
 */
export type Receipt =
  | { readonly kind: "received"; readonly isDuplicate: boolean }
  | { readonly kind: "badSignature" }
  | { readonly kind: "full" }
  | { readonly kind: "unknownSlug" }

/** A notice with the body it came in. */
interface WholeNotice extends ReceivedNotice {
  readonly content: NoticeContent
}

/** Headers with credentials, which are not kept. */
const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization"])

/** A proxy may repeat the address in a header, and with it the secret. */
const addressSecretPattern = /\bhmac=/i

const keptHeaders = (headers: InboundCall["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => !secretHeaders.has(name) && !addressSecretPattern.test(value))
      .slice(0, limits.inboxHeadersMax)
      .map(([name, value]) => [name, value.slice(0, limits.inboxHeaderLengthMax)]),
  )

/**
 * A notice is stored in the partition of its charge or withdrawal; one about neither in a partition derived from its event id.
 */
const partitionFor = (
  notice: Notice,
  about: { readonly transactionId: string | undefined; readonly withdrawalId: string | undefined },
  partitions: number,
): number => {
  const named = partitionOfId(about.transactionId ?? about.withdrawalId ?? "")
  if (named !== undefined && named < partitions) return named
  return createHash("sha256").update(notice.providerEventId).digest().readUInt32BE(0) % partitions
}

/**
 * Makes the program that records an acquirer's notices before anything is done about them
 * (docs/contract/notices.md#recording).
 */
export const makeReceiveNotices = Effect.gen(function* () {
  const sources = yield* NoticeSources
  const store = yield* InboxStore
  const sealer = yield* DocumentSealer
  const identifiers = yield* Identifiers
  const { partitions } = yield* PartitionCount

  const received = (
    source: NoticeSource,
    notice: Notice,
    call: { readonly signatureValid: boolean; readonly bodyHash: string; readonly content: NoticeContent },
    nowMillis: number,
  ): WholeNotice => {
    const transactionId = notice.txid === undefined ? undefined : transactionIdOfTxid(notice.txid)
    const withdrawalId = notice.payoutId === undefined ? undefined : withdrawalIdOfPayout(notice.payoutId)
    const about = { transactionId, withdrawalId }
    return {
      id: identifiers.id("inb_", partitionFor(notice, about, partitions), nowMillis),
      acquirerSlug: source.slug,
      providerEventId: notice.providerEventId,
      eventType: notice.eventType ?? undefined,
      receivedAt: new Date(nowMillis).toISOString(),
      endToEndId: notice.endToEndId,
      refundId: notice.refundId,
      ...about,
      ...call,
    }
  }

  /** The first new notice keeps the body, unless an earlier copy of the same body is kept; the others refer to it. */
  const record = Effect.fnUntraced(function* (notices: ReadonlyArray<WholeNotice>) {
    let noticeId: string | undefined
    let isDuplicate = true
    let next = 0
    for (; noticeId === undefined && next < notices.length; next++) {
      const notice = notices[next]
      if (notice === undefined) break
      const answer = yield* store.receive(notice)
      if (answer.kind === "full") return answer
      isDuplicate &&= answer.kind === "duplicate"
      noticeId = answer.kind === "received" ? answer.id : answer.contentOf
    }
    if (noticeId === undefined) return { kind: "received", isDuplicate } as const
    const content = { noticeId }
    const answers = yield* Effect.forEach(
      notices.slice(next),
      (notice) => store.receive({ ...notice, content }),
      { concurrency: limits.noticesWrittenAtOnce },
    )
    if (answers.some(({ kind }) => kind === "full")) return { kind: "full" } as const
    return {
      kind: "received",
      isDuplicate: isDuplicate && answers.every(({ kind }) => kind === "duplicate"),
    } as const
  })

  return ({ slug, hmac, rawBody, headers }: InboundCall): Effect.Effect<Receipt, StoreUnavailable> =>
    Effect.gen(function* () {
      const source = sources.get(slug)
      if (source === undefined) return { kind: "unknownSlug" }
      const nowMillis = yield* Clock.currentTimeMillis
      const text = Buffer.from(rawBody).toString("utf8")
      const signatureValid = isSignatureValid(source.secret, rawBody, headers[signatureHeader], hmac)
      const bodyHash = createHash("sha256").update(rawBody).digest("base64url")
      const body = signatureValid ? text : text.slice(0, limits.unsignedNoticeLengthMax)
      const kept = JSON.stringify(keptHeaders(headers))
      const call = {
        signatureValid,
        bodyHash,
        content: {
          body: sealer.seal(body, sealedPlaces.noticeBody(bodyHash)),
          headers: sealer.seal(kept, sealedPlaces.noticeHeaders(bodyHash)),
        },
      }
      const notices = source.read(text).map((notice) => received(source, notice, call, nowMillis))
      // An unsigned body is recorded once, however many notices it claims to hold.
      const recorded = yield* record(signatureValid ? notices : notices.slice(0, 1))
      return signatureValid ? recorded : { kind: "badSignature" }
    })
})
