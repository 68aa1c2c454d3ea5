import { Clock, Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type AuditAnchor, auditAnchor } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import {
  auditCheckpointSums,
  type Checkpoint,
  type Resumption,
  readCheckpoint,
  resumptionOf,
  writeCheckpoint,
} from "./checkpoint.ts"
import { auditCustomers } from "./customerAudit.ts"
import { auditDeadAttempts } from "./deadAttemptAudit.ts"
import { differs } from "./difference.ts"
import { auditEventsOf, auditFeed } from "./eventAudit.ts"
import { auditIndexes, auditResources } from "./indexAudit.ts"
import { auditApiKeys, auditHeldValues, auditPixKeyValues } from "./keyAudit.ts"
import { chargeKind, moneyKinds, pixKeyKind, refundKind, withdrawalKind } from "./kinds.ts"
import { auditLedger, type LedgerStep } from "./ledgerAudit.ts"
import { auditBase, isBehind, type LedgerBase, readLedgerBase } from "./ledgerBase.ts"
import { balanceFault, type LedgerPosition } from "./ledgerFold.ts"
import { auditLookupIndex, auditLookupsOf } from "./lookupAudit.ts"
import { makeMoneyAudit } from "./moneyAudit.ts"
import { auditPaymentLinks } from "./paymentLinkAudit.ts"
import { auditPixClaimsOf } from "./pixClaimAudit.ts"
import { type AuditFailure, forEachPage } from "./reads.ts"
import { auditChargesOf, auditRefundsOf } from "./refundAudit.ts"
import { auditReleases } from "./releaseAudit.ts"
import type { MoneyKind, NamedResource, Sighting } from "./resourceKind.ts"
import { auditSeries } from "./seriesAudit.ts"
import { auditApiKeyTimers, auditReportTimers, makeTimerAudit } from "./timerAudit.ts"
import { auditOpenWithdrawal, auditWithdrawalDays } from "./withdrawalAudit.ts"

type Client = RedisClient["Service"]

/** How much an audit of a seller's mode has read and found correct. */
export interface ModeReport {
  readonly ledgerEntries: number
  readonly transactions: number
  readonly withdrawals: number
  readonly refunds: number
  readonly pixKeys: number
  readonly events: number
  /** Whether it went on from a checkpoint or began at the beginning; `empty`: there is nothing to audit. */
  readonly from: "checkpoint" | "beginning" | "empty"
  /** When the last audit of it from the beginning began, in ms. */
  readonly fullMillis: number
}

/** The checks of resources whose changes move money, and how many of each kind have passed them. */
const makeResourceAudit = (client: Client, feed: Feed) => {
  const money = makeMoneyAudit(client, feed)
  const timers = makeTimerAudit(client, feed)
  const counts = new Map<MoneyKind, number>()

  const step = Effect.fnUntraced(function* (
    kind: MoneyKind,
    sightings: ReadonlyArray<Sighting>,
  ): Effect.fn.Return<void, AuditFailure> {
    counts.set(kind, (counts.get(kind) ?? 0) + sightings.length)
    if (kind === chargeKind) {
      yield* auditRefundsOf(client, feed, sightings)
      yield* auditLookupsOf(client, feed, sightings)
      yield* auditPixClaimsOf(client, sightings)
    }
    if (kind === refundKind) yield* auditChargesOf(client, sightings)
    yield* auditEventsOf(client, feed, kind, sightings)
    yield* timers.add(kind, sightings)
    yield* money.add(kind, sightings)
  })
  const named = Effect.fnUntraced(function* (
    resources: ReadonlyArray<NamedResource>,
  ): Effect.fn.Return<void, AuditFailure> {
    for (const kind of moneyKinds) {
      const ids = [...new Set(resources.flatMap((resource) => (resource.kind === kind ? [resource.id] : [])))]
      if (ids.length > 0) yield* step(kind, yield* auditResources(client, kind, feed, ids))
    }
  })
  return {
    /** Checks a page of resources that agree with their indexes. */
    step,
    /** Checks resources by their ids, indexes included. */
    named,
    suspect: money.suspect,
    finishMoney: money.finish,
    finishTimers: timers.finish,
    countOf: (kind: MoneyKind) => counts.get(kind) ?? 0,
  }
}
type ResourceAudit = ReturnType<typeof makeResourceAudit>

/** Checks the ledger from a position on, and that the balance's hash has its totals. */
const auditBooks = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  anchor: AuditAnchor,
  start: LedgerPosition,
  markedEntryId: string | undefined,
  step: LedgerStep,
) {
  // Of a ledger that was trimmed to its end there is no newest entry.
  const lastEntryId = anchor.newestLedgerEntryId || start.entryId
  const audited = yield* auditLedger(client, feed, start, lastEntryId, markedEntryId, step)
  const fault = balanceFault(audited.end.fold, anchor.balance)
  if (fault !== undefined) yield* differs("balance", keys.balanceKey(feed), fault)
  return audited
})

/** What both ways of auditing share: all that is not counted in charges. */
const auditRest = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  resources: ResourceAudit,
  isFull: boolean,
) {
  yield* resources.finishMoney
  yield* auditReleases(client, feed, isFull)
  yield* auditOpenWithdrawal(client, feed)
  yield* auditWithdrawalDays(client, feed, isFull)
  const pixKeys = yield* auditIndexes(client, pixKeyKind, feed, (sightings) =>
    auditPixKeyValues(client, feed, sightings),
  )
  yield* auditHeldValues(client, feed)
  yield* resources.finishTimers
  return pixKeys
})

/** Checks everything that a seller has in a mode, from the beginning, which is the ledger's base. */
const auditFull = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  anchor: AuditAnchor,
  base: LedgerBase,
  checkpoint: Checkpoint | undefined,
) {
  const resources = makeResourceAudit(client, feed)
  const marked = checkpoint?.ledger.entryId
  const books = yield* auditBooks(client, feed, anchor, base.position, marked, (_, suspects) =>
    resources.suspect(suspects),
  )
  for (const kind of moneyKinds) {
    yield* auditIndexes(client, kind, feed, (sightings) => resources.step(kind, sightings))
  }
  const pixKeys = yield* auditRest(client, feed, resources, true)
  const events = yield* auditFeed(client, feed, anchor, undefined, () => Effect.void)
  yield* auditSeries(client, feed, "")
  yield* auditDeadAttempts(client, feed, "")
  yield* auditLookupIndex(client, feed)
  yield* auditPaymentLinks(client, feed)
  yield* auditCustomers(client, feed)
  const isPassed = marked !== base.position.entryId && isBehind(marked ?? "", base)
  if (checkpoint !== undefined && !isPassed) yield* auditCheckpointSums(feed, checkpoint, books.markedFold)
  const read = books.end.fold.entries - base.position.fold.entries
  return { end: books.end, read, events, pixKeys, resources }
})

/** Checks what a seller's mode has gained or changed since a checkpoint, and what is open. */
const auditSince = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  anchor: AuditAnchor,
  { ledger, event }: Resumption,
) {
  const resources = makeResourceAudit(client, feed)
  const books = yield* auditBooks(client, feed, anchor, ledger, undefined, (records, suspects) => {
    // What has an event is found by it.
    const silent = records.flatMap(({ event: eventId, resourceType, resourceId: id }) =>
      eventId === "" && resourceType === "transaction" ? [{ kind: chargeKind, id }] : [],
    )
    return Effect.andThen(resources.suspect(suspects), resources.named(silent))
  })
  for (const kind of moneyKinds) {
    for (const status of kind.openStatuses) {
      yield* forEachPage(client, kind.indexKey(feed, status), (ids) =>
        resources.named(ids.map((id) => ({ kind, id }))),
      )
    }
  }
  const events = yield* auditFeed(client, feed, anchor, event, resources.named)
  yield* auditSeries(client, feed, event.entryId)
  yield* auditDeadAttempts(client, feed, event.entryId)
  const pixKeys = yield* auditRest(client, feed, resources, false)
  const read = books.end.fold.entries - ledger.fold.entries
  return { end: books.end, read, events, pixKeys, resources }
})

/** Audits a mode whose ledger begins at a base. */
const auditOnce = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  isFull: boolean,
  base: LedgerBase,
): Effect.fn.Return<ModeReport, AuditFailure> {
  const nowMillis = yield* Clock.currentTimeMillis
  // Before the anchor, which must not be older: another audit may run beside this one.
  const checkpoint = yield* readCheckpoint(client, feed)
  const anchor = yield* auditAnchor(client, feed)
  yield* auditBase(client, feed, base, anchor)
  yield* auditApiKeys(client, feed)
  yield* auditApiKeyTimers(client, feed)
  yield* auditReportTimers(client, feed)
  const resumption =
    isFull || checkpoint === undefined
      ? undefined
      : yield* resumptionOf(client, feed, checkpoint, base, nowMillis)
  const found =
    resumption === undefined
      ? yield* auditFull(client, feed, anchor, base, checkpoint)
      : yield* auditSince(client, feed, anchor, resumption)
  const fullMillis = resumption === undefined || checkpoint === undefined ? nowMillis : checkpoint.fullMillis
  const isEmpty = anchor.newestLedgerEntryId === "" && anchor.newestEventEntryId === ""
  yield* writeCheckpoint(client, feed, {
    ledger: found.end,
    eventEntryId: anchor.newestEventEntryId,
    eventSeq: anchor.newestEventSeq,
    fullMillis,
  })
  return {
    ledgerEntries: found.read,
    transactions: found.resources.countOf(chargeKind),
    withdrawals: found.resources.countOf(withdrawalKind),
    refunds: found.resources.countOf(refundKind),
    pixKeys: found.pixKeys,
    events: found.events,
    from: resumption !== undefined ? "checkpoint" : isEmpty ? "empty" : "beginning",
    fullMillis,
  }
})

/**
 * Checks a seller's mode from its checkpoint on, or from the beginning, and writes where it ended as the next one's
 * checkpoint. Where something of test mode was deleted meanwhile, a difference does not count: it is audited again.
 */
export const auditMode = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  isFull: boolean,
): Effect.fn.Return<ModeReport, AuditFailure> {
  for (let tries = 1; ; tries++) {
    const base = yield* readLedgerBase(client, feed)
    const result = yield* Effect.result(auditOnce(client, feed, isFull, base))
    if (Result.isSuccess(result)) return result.success
    if (result.failure._tag !== "AuditDifference" || tries === limits.auditTrimmedTriesMax) {
      return yield* result.failure
    }
    const { commits } = yield* readLedgerBase(client, feed)
    if (commits === base.commits) return yield* result.failure
  }
})
