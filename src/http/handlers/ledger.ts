import { Clock, Effect } from "effect"
import { createdAtOf } from "../../../actors/event/envelope.ts"
import {
  Ledger,
  type LedgerPage,
  type Releases,
  type SellerBalance,
  type StoredLedgerEntry,
} from "../../../actors/ports/ledger.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { dayAfter, dayOf } from "../../../actors/values/saoPauloDays.ts"
import type { balanceGroup } from "../../../schema/api/withdrawals.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { formLimits } from "../../../schema/formLimits.ts"
import { eventIdOf, type Feed, isId, ledgerEntryIdOf, type Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import {
  type Balance,
  type BalanceReleases,
  type LedgerEntry,
  type LedgerKind,
  ledgerKinds,
} from "../../../schema/resources/ledger.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { Cursors } from "./cursors.ts"
import { makeEntryCharges } from "./entryCharges.ts"
import { makeEntryWithdrawals } from "./entryWithdrawals.ts"
import {
  type EntryPage,
  entriesBefore,
  keyRevoked,
  orFail,
  pageReply,
  pageSize,
  scanEntries,
  windowOf,
} from "./page.ts"

/** The seller's buckets under their wire names. */
const bucketsOf = ({ available, reserve, pendingWithdraw, pendingRefund }: SellerBalance) => ({
  available,
  reserve,
  pending_withdraw: pendingWithdraw,
  pending_refund: pendingRefund,
})

/** The calendar of `count` days from `today` on. What is late is released today. */
const calendarOf = (
  mode: Mode,
  { reserve, days = [] }: Releases,
  today: string,
  count: number,
): BalanceReleases => {
  const last = dayAfter(today, count - 1)
  const late = days.filter(({ day }) => day <= today)
  const sumOf = (field: "amount" | "charges") => late.reduce((sum, one) => sum + one[field], 0)
  const data = [
    ...(late.length === 0 ? [] : [{ date: today, amount: sumOf("amount"), charges: sumOf("charges") }]),
    ...days
      .filter(({ day }) => day > today && day <= last)
      .map(({ day, amount, charges }) => ({ date: day, amount, charges })),
  ]
  const later = data.reduce((left, { amount }) => left - amount, reserve)
  return { object: "balance_releases", mode, currency: "BRL", reserve, data, later }
}

/** An entry of the ledger as the API shows it, as JSON text; with what it was of where a statement is asked for. */
export const renderLedgerEntry = (
  feed: Feed,
  entry: StoredLedgerEntry,
  of: Pick<LedgerEntry, "charge" | "withdrawal"> = {},
): string => {
  const rendered: LedgerEntry = {
    id: ledgerEntryIdOf(feed, entry.entryId),
    object: "ledger_entry",
    kind: entry.kind,
    mode: feed.mode,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    event_id: entry.eventEntryId === undefined ? null : eventIdOf(feed, entry.eventEntryId),
    postings: entry.postings,
    balance: bucketsOf(entry.balance),
    created_at: createdAtOf(entry),
    ...of,
  }
  return JSON.stringify(rendered)
}

const isMoneyId = (id: string): boolean => isId("txn_", id) || isId("wd_", id) || isId("rfd_", id)

const millisOf = ({ entryId }: StoredLedgerEntry): number => Number(entryId.split("-")[0])

/** Reads `kinds`: 400 for a name that is none, because it would silently match nothing. */
export const kindsOf = (text: string | undefined) => {
  if (text === undefined) return undefined
  const names = text.split(",").map((name) => name.trim())
  const isKind = (name: string): name is LedgerKind => ledgerKinds.some((kind) => kind === name)
  return names.every(isKind)
    ? new Set<LedgerKind>(names.filter(isKind))
    : validationFailed("kinds", `kinds must be a comma-separated list of: ${ledgerKinds.join(", ")}.`)
}

type Matches = (entry: StoredLedgerEntry) => boolean

/** A page of entries that are all there, newest first. */
const pageOfEntries = (
  entries: ReadonlyArray<StoredLedgerEntry>,
  { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, beforeEntryId, limit }: LedgerPage,
  matches: Matches,
): EntryPage<StoredLedgerEntry> => {
  const left = entriesBefore(entries, beforeEntryId).filter(
    (entry) => millisOf(entry) >= fromMillis && millisOf(entry) <= toMillis && matches(entry),
  )
  const found = left.slice(0, limit)
  return { found, next: left.length > limit ? found.at(-1)?.entryId : undefined }
}

/** Routes of balance and ledger. */
export const makeBalanceHandlers = Effect.gen(function* () {
  const ledger = yield* Ledger
  const refunds = yield* RefundStore
  const cursors = yield* Cursors
  const chargesOf = yield* makeEntryCharges
  const withdrawalsOf = yield* makeEntryWithdrawals
  const { windowIn, shownAt } = yield* makeClockWindows

  /** The resources that a list of entries is filtered by; undefined: by none. */
  const resourcesOf = Effect.fnUntraced(function* (
    principal: Principal,
    { transaction_id, resource_id }: { readonly transaction_id?: string; readonly resource_id?: string },
  ) {
    if (transaction_id === undefined && resource_id === undefined) return undefined
    const one = resource_id === undefined || !isMoneyId(resource_id) ? [] : [resource_id]
    if (transaction_id === undefined) return one
    if (!isId("txn_", transaction_id)) return []
    const page = { status: undefined, fromMillis: undefined, toMillis: undefined, beforeId: undefined }
    const limit = limits.refundsPerChargeMax
    const found = yield* refunds.list(principal, { ...page, transactionId: transaction_id, limit })
    const all = [transaction_id, ...("kind" in found ? [] : found.map(({ id }) => id))]
    return resource_id === undefined ? all : all.filter((id) => one.includes(id))
  })

  const ofResources = Effect.fnUntraced(function* (principal: Principal, ids: ReadonlyArray<string>) {
    const found = yield* ledger.ofResources(principal, ids)
    return "kind" in found ? yield* keyRevoked() : found
  })

  const scan = (principal: Principal, page: LedgerPage, matches: Matches) => {
    const read = Effect.fnUntraced(function* (beforeEntryId: string | undefined, limit: number) {
      const entries = yield* ledger.list(principal, { ...page, beforeEntryId, limit })
      return "kind" in entries ? yield* keyRevoked() : entries
    })
    return scanEntries({ before: page.beforeEntryId, size: page.limit, matches, read })
  }

  const causesOf = Effect.fnUntraced(function* (entries: ReadonlyArray<StoredLedgerEntry>) {
    const [charges, withdrawals] = [yield* chargesOf(entries), yield* withdrawalsOf(entries)]
    return ({ resourceId }: StoredLedgerEntry) => ({
      charge: charges.get(resourceId) ?? null,
      withdrawal: withdrawals.get(resourceId) ?? null,
    })
  })

  const handlers: GroupHandlers<typeof balanceGroup> = {
    getBalance: Effect.fnUntraced(function* ({ principal }) {
      const found = yield* ledger.balance(principal)
      if ("kind" in found) return yield* keyRevoked()
      const { mode } = principal
      const balance: Balance = { object: "balance", mode, currency: "BRL", ...bucketsOf(found) }
      return { status: 200, body: JSON.stringify(balance) }
    }),

    getBalanceReleases: Effect.fnUntraced(function* ({ query, principal }) {
      const found = yield* ledger.releases(principal)
      if ("kind" in found) return yield* keyRevoked()
      const nowMillis = yield* shownAt(principal, yield* Clock.currentTimeMillis)
      return {
        status: 200,
        body: JSON.stringify(
          calendarOf(
            principal.mode,
            found,
            dayOf(nowMillis),
            Number(query.days ?? formLimits.releaseDaysMax),
          ),
        ),
      }
    }),

    listLedger: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, view, ...filters } = query
      const scope = { list: "ledger", principal, filters }
      const kinds = yield* orFail(kindsOf(query.kinds))
      const matches: Matches = ({ kind }) => kinds === undefined || kinds.has(kind)
      const beforeEntryId = yield* orFail(cursors.decode(scope, cursor))
      const resourceIds = yield* resourcesOf(principal, query)
      const window = yield* windowIn(principal, windowOf(query))
      const page = { ...window, beforeEntryId, limit: pageSize(limit) }
      const { found, next } =
        resourceIds === undefined
          ? yield* scan(principal, page, matches)
          : pageOfEntries(yield* ofResources(principal, resourceIds), page, matches)
      const of = view === "statement" ? yield* causesOf(found) : () => ({})
      return pageReply(
        found.map((entry) => renderLedgerEntry(principal, entry, of(entry))),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
    }),
  }
  return handlers
})
