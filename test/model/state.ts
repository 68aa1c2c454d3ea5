import { Clock, Context, Effect } from "effect"
import type { AlertChoice, OwedAlert } from "../../actors/ports/alertStore.ts"
import type { StoredBulk } from "../../actors/ports/bulkStore.ts"
import type { DayMovements, StoredClosing } from "../../actors/ports/closingStore.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import type { StoredException } from "../../actors/ports/exceptionStore.ts"
import type { FeedHint } from "../../actors/ports/feedHints.ts"
import type { StoredNotice } from "../../actors/ports/inboxStore.ts"
import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import type { StoredNote } from "../../actors/ports/noteStore.ts"
import type { Wake } from "../../actors/ports/partitions.ts"
import type { StoredPaymentLink } from "../../actors/ports/paymentLinkStore.ts"
import type { StoredPixKey } from "../../actors/ports/pixKeyStore.ts"
import type { StoredRefund } from "../../actors/ports/refundStore.ts"
import type { ReportLink, ReportRun, StoredReport } from "../../actors/ports/reportStore.ts"
import type { LoggedEntry } from "../../actors/ports/requestLogStore.ts"
import type { SellerHint } from "../../actors/ports/sellerHints.ts"
import type { NewApiKey, NewEndpoint, PostbackSecret, StoredSeller } from "../../actors/ports/sellerStore.ts"
import type { SweepState, UnconfirmedItem, UnreadItems } from "../../actors/ports/sweepStore.ts"
import type { StoredTracker } from "../../actors/ports/trackerStore.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import type { StoredWithdrawal } from "../../actors/ports/withdrawalStore.ts"
import type { ClockStep } from "../../actors/values/clockSteps.ts"
import type { LedgerBase } from "../../actors/values/ledgerBase.ts"
import type { StoredMember } from "../../actors/values/membership.ts"
import type { NoticeContent } from "../../actors/values/receivedNotice.ts"
import type { Timer } from "../../actors/values/timer.ts"
import { type Feed, type Mode, partitionOfId } from "../../schema/ids.ts"
import type { AttemptStatus, DeliveryTarget } from "../../schema/resources/delivery.ts"
import type { Bucket } from "../../schema/resources/ledger.ts"

/** Settings of the store in memory. */
export interface MemoryStoreOptions {
  /** How long events and attempts are kept, in ms. */
  readonly eventRetentionMillis: number
  /** How long test mode keeps what has ended, in ms; undefined: for ever. */
  readonly testRetentionMillis: number | undefined
  /** The most bytes that the notices of a partition's inbox may take. */
  readonly inboxBytesMax: number
  /** How many partitions there are; ids name one of them. */
  readonly partitions: number
}

/** A mode's request log: entries oldest first, and the newest id that any ever had. */
export interface RequestLogState {
  readonly refused: Array<LoggedEntry>
  readonly answered: Array<LoggedEntry>
  newestId: string
}

export interface SellerRecord {
  seller: StoredSeller
  /** Undefined: the seller has none. */
  postbackSecret: PostbackSecret | undefined
  /** By which its document is found. */
  documentTerm?: string | undefined
}

/** A seller's team beside its first user. */
export interface TeamState {
  readonly version: number
  /** The last change. */
  readonly operation: string
  readonly members: ReadonlyMap<string, StoredMember>
}

export interface ApiKeyRecord {
  readonly sellerId: string
  readonly key: NewApiKey
  /** When the key stops being valid. */
  revokeAtMillis: number | undefined
  lastUsedAtMillis: number | undefined
  lastUsedIp: string | undefined
}

export interface EndpointRecord {
  endpoint: NewEndpoint
  enabled: boolean
  deleted: boolean
  disabledReason: "auto" | "manual" | undefined
  autoDisabledAtMillis: number | undefined
  /** Dead deliveries in a row. */
  deadStreak: number
  lastSuccessMillis: number | undefined
  /** The secret before the last rotation (ciphertext). */
  previousSecret: { readonly secret: string; readonly untilMillis: number } | undefined
  /** The delivery id promised to the last ping. */
  lastPingId: string | undefined
  lastPing: { readonly atMillis: number; readonly succeeded: boolean } | undefined
  /** The operation that deleted it. */
  deletedBy: string | undefined
  /** Failed attempts in a row; undefined: the last one succeeded, or there was none. */
  failing: { readonly sinceMillis: number; attempts: number; isTold: boolean } | undefined
  /** Periods in which it was disabled, oldest first; the last has no end while it is. */
  outages: Array<{ readonly afterEntryId: string; upToEntryId: string | undefined }>
}

/** A mode's tracker. */
export interface TrackerRecord {
  tracker: StoredTracker
  types: ReadonlyArray<string>
  /** The operation that deleted it; undefined while it exists. */
  deletedBy: string | undefined
}

/** A feed: its kept entries, and the id of the newest entry ever written. */
export interface FeedState {
  readonly feed: Feed
  readonly entries: Array<EventEntry>
  seq: number
  newestEntryId: string
}

/** The record of an `Idempotency-Key`. */
export interface IdempotencyRecord {
  readonly fingerprint: string
  readonly executionId: string
  readonly expiresAtMillis: number
  readonly state:
    | { readonly kind: "leased"; readonly leaseUntilMillis: number; readonly transactionId: string }
    | { readonly kind: "done"; readonly status: number; readonly body: string }
}

/** One event owed to one destination, from its commit until it is forgotten. */
export interface OwedDelivery {
  readonly entryId: string
  attempts: number
  fence: number
  /** `queued` and `leased` wait for `dueMillis` (the lease's end), `waiting` for its turn; the others say how it ended. */
  state: "waiting" | "queued" | "leased" | AttemptStatus
  dueMillis: number
  promisedId: string | undefined
  manual: boolean
  /** Where it takes turns: whose, and where among those that wait. */
  order: { readonly resourceId: string; readonly seq: number } | undefined
}

export interface DestinationRecord {
  readonly id: string
  readonly feed: Feed
  readonly target: DeliveryTarget
  readonly url: string
  readonly deliveries: Map<string, OwedDelivery>
  /** Of an ordered endpoint: resource -> the delivery that has its turn, and those that wait for it, by seq. */
  readonly turns: Map<
    string,
    { delivery: OwedDelivery; waiting: Array<{ seq: number; delivery: OwedDelivery }> }
  >
  /** When a claim has something to do here, in ms; undefined: nothing is owed. */
  dueMillis: number | undefined
}

export interface AttemptRow {
  readonly deliveryId: string
  readonly feed: Feed
  readonly destinationId: string
  readonly target: DeliveryTarget
  readonly entryId: string
  readonly eventId: string
  readonly eventType: string
  readonly attempt: number
  readonly status: AttemptStatus
  readonly row: string
  readonly detail: string
  readonly recordedAtMillis: number
}

/** A seller's money in a mode. */
export interface BalanceRecord {
  readonly amounts: Record<Bucket, number>
  /** The sums of what was deleted before these entries. */
  base: LedgerBase
  readonly entries: Array<StoredLedgerEntry>
  /** Deleted resources that the entries may name. */
  readonly deletedIds: Set<string>
  /** What the reserve releases, by day. */
  readonly releases: Map<string, { amount: number; charges: number }>
  openWithdrawalId: string | undefined
  /** The value and count of each day's withdrawals. */
  readonly days: Map<string, { value: number; count: number }>
}

/** An acquirer's notice with its body, or with the id of the notice that has it, and its bytes in the inbox. */
export interface NoticeRecord {
  readonly notice: StoredNotice
  readonly content: NoticeContent | { readonly noticeId: string }
  readonly bytes: number
}

/** The sweeps of an acquirer account, and the lease on them. */
export interface SweepRecord {
  readonly state: SweepState
  readonly holder: string | undefined
  readonly leaseUntilMillis: number
  /** That of the last claim. */
  readonly fence: number
  readonly unread: UnreadItems
  readonly unconfirmed: ReadonlyArray<UnconfirmedItem>
}

/** A partition's closings of a mode. */
export interface PartRecord {
  fence: number
  lastDay: Partial<Record<Mode, string>>
  readonly days: Record<Mode, Array<DayMovements>>
}

/** Closings of days, each list oldest first. */
export interface ClosingRecords {
  lease: { readonly holder: string; readonly fence: number; readonly untilMillis: number } | undefined
  readonly wholes: Map<Mode, Array<StoredClosing>>
  readonly parts: Map<number, PartRecord>
  /** By feed name. */
  readonly sellers: Map<string, Array<DayMovements>>
}

/** What a seller wants to hear of, and what it is still to be told. */
export interface AlertState {
  choice: AlertChoice | undefined
  readonly owed: Array<{ readonly alert: OwedAlert; dueMillis: number }>
  /** `<hour> <channel> <when>` -> how many. */
  readonly counts: Map<string, number>
}

/** A report by mail, how far its mailing is, and its links. */
export interface ReportState {
  report: StoredReport
  run: ReportRun | undefined
  isAsked: boolean
  leaseEndMillis: number | undefined
  links: ReadonlyArray<ReportLink>
}

/** Everything the in-memory store holds. Only the functions of this folder change it, each in one synchronous step. */
export interface MemoryState {
  readonly options: MemoryStoreOptions
  readonly sellers: Map<string, SellerRecord>
  readonly apiKeys: Map<string, ApiKeyRecord>
  /** By seller. */
  readonly teams: Map<string, TeamState>
  readonly endpoints: Map<string, EndpointRecord>
  /** By destination id. */
  readonly trackers: Map<string, TrackerRecord>
  readonly transactions: Map<string, StoredTransaction>
  /** By feed name. */
  readonly balances: Map<string, BalanceRecord>
  readonly withdrawals: Map<string, StoredWithdrawal>
  readonly refunds: Map<string, StoredRefund>
  /** Centavos of a charge in refunds that have not ended, by its id; absent: 0. */
  readonly refunding: Map<string, number>
  /** Refunds that are processing for long -> since when, in ms. */
  readonly stuckRefunds: Map<string, number>
  readonly exceptions: Map<string, StoredException>
  /** `<partition>:<fact>` -> the exception of it. */
  readonly exceptionFacts: Map<string, string>
  /** `<account>:<end-to-end id>` -> the charge or exception that has it. */
  readonly pixClaims: Map<string, string>
  /** By acquirer account. */
  readonly sweeps: Map<string, SweepRecord>
  readonly pixKeys: Map<string, StoredPixKey>
  readonly notices: Map<string, NoticeRecord>
  /** `<slug>:<provider event id>` -> the first notice of it. */
  readonly noticesSeen: Map<string, string>
  /** Before this time, in ms, no notice is past retention. */
  noticesOldMillis: number
  /** How far ahead a seller's test mode is, in ms. */
  readonly clockOffsets: Map<string, number>
  /** The steps that took it there, oldest first. */
  readonly clockSteps: Map<string, ReadonlyArray<ClockStep>>
  readonly idempotency: Map<string, IdempotencyRecord>
  readonly feeds: Map<string, FeedState>
  readonly timers: Map<string, Timer>
  /** When a charge, withdrawal or refund changed last: by its newest event, or the movement of its money. */
  readonly changedMillis: Map<string, number>
  readonly destinations: Map<string, DestinationRecord>
  readonly attempts: Map<string, AttemptRow>
  readonly streamSlots: Map<string, Set<string>>
  readonly hintListeners: Set<(hint: FeedHint) => void>
  readonly watchedFeeds: Set<string>
  readonly sellerListeners: Set<(hint: SellerHint) => void>
  readonly wakeListeners: Set<(wake: Wake) => void>
  readonly heldPartitions: Set<number>
  readonly closings: ClosingRecords
  /** By feed name. */
  readonly requestLogs: Map<string, RequestLogState>
  /** By id. */
  readonly paymentLinks: Map<string, StoredPaymentLink>
  /** By id; `endedMillis`: when its last row was recorded. */
  readonly bulks: Map<string, { readonly bulk: StoredBulk; readonly endedMillis: number | undefined }>
  /** By seller. */
  readonly alerts: Map<string, AlertState>
  /** By id. */
  readonly reports: Map<string, ReportState>
  /** By charge. */
  readonly notes: Map<string, ReadonlyArray<StoredNote>>
  /** By feed name and digest. */
  readonly customerSums: Map<string, { readonly paid: number; readonly refunded: number }>
  /** By feed name and digest: the digest that it was merged into, those merged last last. */
  readonly customerMerges: Map<string, string>
  /** Messages of the current step to listeners, sent when it has ended. */
  announcements: Array<() => void>
}

/** A fresh, empty state. */
export const makeState = (options: MemoryStoreOptions): MemoryState => ({
  options,
  sellers: new Map(),
  apiKeys: new Map(),
  teams: new Map(),
  endpoints: new Map(),
  trackers: new Map(),
  transactions: new Map(),
  balances: new Map(),
  withdrawals: new Map(),
  refunds: new Map(),
  refunding: new Map(),
  stuckRefunds: new Map(),
  exceptions: new Map(),
  exceptionFacts: new Map(),
  pixClaims: new Map(),
  sweeps: new Map(),
  pixKeys: new Map(),
  notices: new Map(),
  noticesSeen: new Map(),
  noticesOldMillis: Number.POSITIVE_INFINITY,
  clockOffsets: new Map(),
  clockSteps: new Map(),
  idempotency: new Map(),
  feeds: new Map(),
  timers: new Map(),
  changedMillis: new Map(),
  destinations: new Map(),
  attempts: new Map(),
  streamSlots: new Map(),
  hintListeners: new Set(),
  watchedFeeds: new Set(),
  sellerListeners: new Set(),
  wakeListeners: new Set(),
  heldPartitions: new Set(),
  closings: { lease: undefined, wholes: new Map(), parts: new Map(), sellers: new Map() },
  requestLogs: new Map(),
  paymentLinks: new Map(),
  bulks: new Map(),
  alerts: new Map(),
  reports: new Map(),
  notes: new Map(),
  customerSums: new Map(),
  customerMerges: new Map(),
  announcements: [],
})

/** The state behind all ports of the store in memory: for tests that look inside or set up what no port can. */
export class MemoryStore extends Context.Service<MemoryStore, MemoryState>()("corrente/actors/MemoryStore") {}

/**
 * Runs one step of the store at the clock's time. The step is synchronous, so no other fiber sees half of it; its
 * messages to listeners go out after it, as they do from Redis.
 */
export const atomicStep = <A>(state: MemoryState, step: (nowMillis: number) => A): Effect.Effect<A> =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    const answer = step(nowMillis)
    const announcements = state.announcements
    state.announcements = []
    for (const announce of announcements) announce()
    return answer
  })

/** Adds a listener until the scope closes; one function may listen twice, each until its own scope closes. */
export const listenUntilClosed = <A>(listeners: Set<(told: A) => void>, listener: (told: A) => void) =>
  Effect.suspend(() => {
    const entry = (told: A) => listener(told)
    listeners.add(entry)
    return Effect.addFinalizer(() => Effect.sync(() => listeners.delete(entry)))
  })

/** The name of a seller's feed in a mode, and of everything else that a seller has once per mode. */
export const feedName = (sellerId: string, mode: Mode): string => `${sellerId}:${mode}`

/** The partition that an id names; a defect if it does not exist, since ids are made with the same settings. */
export const partitionOf = (state: MemoryState, id: string): number => {
  const partition = partitionOfId(id)
  if (partition === undefined || partition >= state.options.partitions) {
    throw new RangeError(`'${id}' names none of the ${state.options.partitions} partitions`)
  }
  return partition
}
