import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import { partitionOfId, transactionIdOfTxid, withdrawalIdOfPayout } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type Notice, type NoticeSource, NoticeSources } from "../ports/acquirer.ts"
import { DocumentSealer } from "../ports/documentSealer.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { InboxStore, type ReceivedNotice } from "../ports/inboxStore.ts"
import { PartitionCount } from "../ports/partitionCount.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { isSignatureValid, signatureHeader } from "./signature.ts"

/** A webhook call as it arrived; header names are lower case. */
export interface InboundCall {
  readonly slug: string
  readonly rawBody: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** What a partner is answered: `unknownSlug` and `badSignature` are refusals, the latter is on record. */
export type Receipt =
  | { readonly kind: "received"; readonly isDuplicate: boolean }
  | { readonly kind: "badSignature" }
  | { readonly kind: "unknownSlug" }

/** Credentials are not kept, whatever they open. */
const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization"])

const keptHeaders = (headers: InboundCall["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !secretHeaders.has(name))
      .slice(0, limits.inboxHeadersMax)
      .map(([name, value]) => [name, value.slice(0, limits.inboxHeaderLengthMax)]),
  )

/** A notice lies beside what it is about; one about nothing of ours lies anywhere, but always at the same place. */
const partitionFor = (
  notice: Notice,
  about: { readonly transactionId: string | undefined; readonly withdrawalId: string | undefined },
  partitions: number,
): number => {
  const named = partitionOfId(about.transactionId ?? about.withdrawalId ?? "")
  if (named !== undefined && named < partitions) return named
  return createHash("sha256").update(notice.providerEventId).digest().readUInt32BE(0) % partitions
}

/** Makes the program that records what a partner's webhook tells, before anything is done about it (decisions 3). */
export const makeReceiveNotices = Effect.gen(function* () {
  const sources = yield* NoticeSources
  const store = yield* InboxStore
  const sealer = yield* DocumentSealer
  const identifiers = yield* Identifiers
  const { partitions } = yield* PartitionCount

  const received = (
    source: NoticeSource,
    notice: Notice,
    call: { readonly signatureValid: boolean; readonly body: string; readonly headers: string },
    nowMillis: number,
  ): ReceivedNotice => {
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

  return ({ slug, rawBody, headers }: InboundCall): Effect.Effect<Receipt, StoreUnavailable> =>
    Effect.gen(function* () {
      const source = sources.get(slug)
      if (source === undefined) return { kind: "unknownSlug" }
      const nowMillis = yield* Clock.currentTimeMillis
      const text = Buffer.from(rawBody).toString("utf8")
      const signatureValid = isSignatureValid(source.secret, rawBody, headers[signatureHeader])
      const call = {
        signatureValid,
        body: sealer.seal(signatureValid ? text : text.slice(0, limits.unsignedNoticeLengthMax)),
        headers: sealer.seal(JSON.stringify(keptHeaders(headers))),
      }
      const notices = source.read(text).map((notice) => received(source, notice, call, nowMillis))
      // What is not signed is told once, whatever it claims to tell.
      const kept = signatureValid ? notices : notices.slice(0, 1)
      const answers = yield* Effect.forEach(kept, store.receive, { concurrency: "unbounded" })
      if (!signatureValid) return { kind: "badSignature" }
      return { kind: "received", isDuplicate: answers.every(({ kind }) => kind === "duplicate") }
    })
})
