import { Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { expect } from "vitest"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { Ledger, type StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { sessionStatementGroup, statementGroup } from "../../schema/api/statement.ts"
import { ApiError } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import { exampleTransaction } from "../../schema/resources/transaction.ts"
import { Authenticator } from "../../src/http/contract/authenticator.ts"
import { bindApi } from "../../src/http/contract/bind.ts"
import { makeFileStreams } from "../../src/http/handlers/fileStream.ts"
import { makeStatementHandlers } from "../../src/http/handlers/statement.ts"
import { serve } from "../../src/http/server/server.ts"
import { browserRequests, sessionAuthenticator } from "./dashboardFixture.ts"
import { goodKey, otherKey, principal } from "./fixture.ts"

export const firstMillis = Date.parse("2026-11-21T12:00:00Z")

/** An entry of a made-up ledger: every third one moves no `available`. */
export const entryAt = (index: number): StoredLedgerEntry => ({
  kind: "charge_paid",
  resourceType: "transaction",
  resourceId: "txn_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  postings:
    index % 3 === 2
      ? [
          { bucket: "reserve", amount: 5 },
          { bucket: "external", amount: -5 },
        ]
      : [
          { bucket: "available", amount: 1 },
          { bucket: "external", amount: -1 },
        ],
  entryId: `${firstMillis + index}-0`,
  seq: index + 1,
  eventEntryId: undefined,
  balance: { available: index, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 },
})

/** How many of the first `count` entries a statement shows. */
export const shownOf = (count: number): number => count - Math.floor(count / 3)

/** A ledger that is made as it is read, and what happened to it. */
export interface MadeUp {
  /** Entries that it has. */
  entries: number
  /** Entries that were read. */
  read: number
  /** Charges that were read for it. */
  chargesRead: number
  /** The newest entry before those days. */
  before: StoredLedgerEntry | undefined
  /** What the reads after this many entries come to. */
  failure: { readonly after: number; readonly kind: "revoked" | "away" } | undefined
}

const ledgerOf = (madeUp: MadeUp): Ledger["Service"] => ({
  balance: () => Effect.die("not asked"),
  available: () => Effect.die("not asked"),
  releases: () => Effect.die("not asked"),
  list: (_, { limit, toMillis }) =>
    Effect.sync(() => {
      expect([limit, toMillis]).toEqual([1, Date.parse("2026-12-01T02:59:59.999Z")])
      return madeUp.before === undefined ? [] : [madeUp.before]
    }),
  ofResources: () => Effect.die("not asked"),
  readAfter: () => Effect.die("not asked"),
  readSpan: (_, { afterEntryId, entriesMax }) =>
    Effect.suspend((): ReturnType<Ledger["Service"]["readSpan"]> => {
      const { failure } = madeUp
      if (failure !== undefined && madeUp.read >= failure.after) {
        return failure.kind === "revoked"
          ? Effect.succeed({ kind: "keyInvalid" })
          : Effect.fail(new StoreUnavailable({ operation: "XRANGE", reason: "away" }))
      }
      const from = afterEntryId === undefined ? 0 : Number(afterEntryId.split("-")[0]) - firstMillis + 1
      const count = Math.min(entriesMax, madeUp.entries - from)
      madeUp.read += count
      return Effect.succeed(Array.from({ length: count }, (_, index) => entryAt(from + index)))
    }),
})

/** Every charge of the made-up ledger is paid by somebody whose name a spreadsheet would run. */
const chargesOf = (madeUp: MadeUp) =>
  Layer.mock(TransactionStore, {
    loadMany: (ids) =>
      Effect.sync(() => {
        madeUp.chargesRead += ids.length
        return ids.map((id) => ({
          ...{ id, sellerId: principal.sellerId, mode: principal.mode, status: "paid" as const, version: 2 },
          document: JSON.stringify({
            ...{ ...exampleTransaction, id, end_to_end_id: "E0000000020261121" },
            customer: { ...exampleTransaction.customer, name: '=HYPERLINK("x");Ana' },
          }),
        }))
      }),
  })

const shop = newStoredSeller({
  id: principal.sellerId,
  name: "Café & Cia. d'Ávila",
  userId: "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  kycStatus: "approved",
  createdAt: "2026-11-21T12:00:00.000Z",
})

const badKey = new ApiError({ code: "invalid_api_key", message: "Send a key." })
const authenticator = Layer.succeed(Authenticator, {
  authenticate: (authorization) => {
    if (authorization === `Bearer ${goodKey}`) return Effect.succeed(principal)
    if (authorization !== `Bearer ${otherKey}`) return Effect.fail(badKey)
    return Effect.succeed({ ...principal, sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAW" })
  },
  admits: () => true,
  confirm: () => Effect.void,
})

const contract = HttpApi.make("statements").add(statementGroup, sessionStatementGroup)

/** Serves statements of a made-up ledger. */
export const makeStatements = (entries: number = limits.statementPageEntries * 2 + 1) => {
  const madeUp: MadeUp = { entries, read: 0, chargesRead: 0, before: undefined, failure: undefined }
  return Effect.gen(function* () {
    const routes = yield* bindApi(contract, yield* makeStatementHandlers(yield* makeFileStreams))
    const server = yield* serve({ host: "127.0.0.1", port: 0, routes })
    return { madeUp, port: server.port, origin: `http://127.0.0.1:${server.port}` }
  }).pipe(
    Effect.provide([
      authenticator,
      sessionAuthenticator(),
      browserRequests(),
      Layer.succeed(Ledger, ledgerOf(madeUp)),
      chargesOf(madeUp),
      Layer.mock(RefundStore, {}),
      Layer.mock(WithdrawalStore, {}),
      Layer.mock(SellerClock, { steps: () => Effect.succeed([]) }),
      Layer.mock(SellerStore, { get: () => Effect.succeed(shop) }),
      Layer.succeed(ChargeRenderer, { render: (text) => text, renderSummary: (text) => text }),
    ]),
  )
}
