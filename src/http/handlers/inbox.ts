import { Clock, Effect } from "effect"
import { Inbox } from "../../../actors/inbox/inbox.ts"
import { InboxStore, type StoredNotice } from "../../../actors/ports/inboxStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { type SealedPlace, sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseHeaders } from "../../../actors/values/storedDocuments.ts"
import type { inboundGroup, inboxGroup } from "../../../schema/api/inbound.ts"
import { ApiError, resourceNotFound, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { InboxRecord, InboxRecordDetail } from "../../../schema/resources/inbox.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageOf, pageSize } from "./page.ts"

const json = (status: number, value: unknown): JsonReply => ({ status, body: JSON.stringify(value) })

/** Routes that acquirers call. */
export const makeInboundHandlers = Effect.gen(function* () {
  const inbox = yield* Inbox

  const receive = Effect.fnUntraced(function* (request: {
    readonly params: { readonly slug: string }
    readonly query: { readonly hmac?: string }
    readonly rawBody: Uint8Array
    readonly rawHeaders: Readonly<Record<string, string>>
  }) {
    const { params, query, rawBody, rawHeaders } = request
    if (rawBody.length === 0) return yield* validationFailed(undefined, "The body is empty.")
    const receipt = yield* inbox.receive({
      slug: params.slug,
      hmac: query.hmac,
      rawBody,
      headers: rawHeaders,
    })
    switch (receipt.kind) {
      case "received":
        return json(200, receipt.isDuplicate ? { received: true, duplicate: true } : { received: true })
      case "badSignature":
        return yield* new ApiError({
          code: "invalid_signature",
          message:
            "X-Webhook-Signature is not the HMAC-SHA256 of this body in hex, or hmac is not the secret. It was not processed.",
        })
      case "full":
        return yield* serviceUnavailable(
          "The inbox is full until its notices are processed. Send this one again later.",
          limits.inboxFullRetrySeconds,
        )
      case "unknownSlug":
        return yield* resourceNotFound("acquirer", params.slug)
    }
  })

  const handlers: GroupHandlers<typeof inboundGroup> = { receiveNotice: receive, receivePixNotice: receive }
  return handlers
})

const shown = (notice: StoredNotice): InboxRecord => ({
  id: notice.id,
  acquirer: { id: notice.acquirerSlug, slug: notice.acquirerSlug },
  provider_event_id: notice.providerEventId,
  event_type: notice.eventType ?? null,
  signature_valid: notice.signatureValid,
  received_at: notice.receivedAt,
  processed_at: notice.processedAt ?? null,
  attempts: notice.attempts,
  error: notice.error ?? null,
  transaction_id: notice.transactionId ?? null,
  withdrawal_id: notice.withdrawalId ?? null,
  end_to_end_id: notice.endToEndId ?? null,
  reprocessed_at: notice.reprocessedAt ?? null,
})

const noSuchRecord = (id: string) => resourceNotFound("inbox record", id)

/** Routes of the inbox, for operators. */
export const makeInboxHandlers = Effect.gen(function* () {
  const store = yield* InboxStore
  const opener = yield* SecretOpener
  const operatorLog = yield* OperatorLog
  const cursors = yield* Cursors

  const known = Effect.fnUntraced(function* (id: string) {
    const notice = isId("inb_", id) ? yield* store.load(id) : undefined
    return notice ?? (yield* noSuchRecord(id))
  })

  const detail = (notice: StoredNotice) =>
    Effect.map(store.content(notice.id), (content): InboxRecordDetail => {
      const open = (text: string | undefined, place: SealedPlace) =>
        text === undefined ? undefined : opener.open(text, place)
      return {
        ...shown(notice),
        raw_body: open(content?.body, sealedPlaces.noticeBody(notice.bodyHash)) ?? "",
        headers: parseHeaders(open(content?.headers, sealedPlaces.noticeHeaders(notice.bodyHash)) ?? "{}"),
      }
    })

  const handlers: GroupHandlers<typeof inboxGroup> = {
    listInbox: Effect.fnUntraced(function* ({ query }) {
      const scope = { list: "inbox", filters: { state: query.state } }
      const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
      const size = pageSize(query.limit)
      const found = yield* store.list({ state: query.state, beforeId, limit: size + 1 })
      return pageOf(
        found,
        size,
        (notice) => JSON.stringify(shown(notice)),
        (last) => cursors.encode(scope, last.id),
      )
    }),

    getInboxRecord: ({ params }) =>
      Effect.map(Effect.flatMap(known(params.id), detail), (record) => json(200, record)),

    reprocessInboxRecord: Effect.fnUntraced(function* ({ session, params }) {
      const notice = yield* known(params.id)
      if (!notice.signatureValid) {
        return yield* new ApiError({
          code: "invalid_state",
          message: `Inbox record '${notice.id}' had a bad signature and will never be processed.`,
        })
      }
      yield* operatorLog.append({
        operatorId: session.userId,
        action: "inbox.reprocessed",
        resourceType: "inbox_record",
        resourceId: notice.id,
        details: {},
      })
      const at = new Date(yield* Clock.currentTimeMillis).toISOString()
      const { kind } = yield* store.reprocess(notice.id, at)
      return kind === "queued" ? json(202, {}) : yield* noSuchRecord(notice.id)
    }),
  }
  return handlers
})
