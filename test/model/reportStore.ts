import {
  type ClaimedReport,
  type ReportEnd,
  type ReportLink,
  type ReportRun,
  ReportStore,
  type StoredReport,
} from "../../actors/ports/reportStore.ts"
import { reportTimerName } from "../../actors/values/reportPeriods.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, type MemoryState, type ReportState } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const setTimer = (state: MemoryState, resourceId: string, dueMillis: number): void =>
  setTimers(state, [{ resourceId, name: reportTimerName, dueMillis }])

/** The report, if the lease is still the caller's. */
const heldBy = (state: MemoryState, { report, leaseEndMillis }: ClaimedReport): ReportState | undefined => {
  const found = state.reports.get(report.id)
  return found?.leaseEndMillis === leaseEndMillis ? found : undefined
}

const runOf = ({ run }: ReportState, from: string): ReportRun =>
  run?.from === from ? run : { from, done: [], failed: 0, tries: 0 }

/** When a report is due after a run: at once where it was asked for since, and the run found nothing to mail. */
const nextMillisAfter = ({ isAsked }: ReportState, end: ReportEnd, nowMillis: number): number => {
  if (end.kind === "again") return nowMillis + end.inMillis
  return isAsked && end.sent === undefined ? nowMillis : end.nextMillis
}

const newestFirst = (one: StoredReport, other: StoredReport): number => (one.id < other.id ? 1 : -1)

/** ReportStore over the memory state. */
export const makeReportStore = (state: MemoryState): ReportStore["Service"] =>
  ReportStore.of({
    create: (report, reportsMax) =>
      atomicStep(state, () => {
        if (state.reports.has(report.id)) return { kind: "created" }
        const own = [...state.reports.values()].filter(
          ({ report: { sellerId, mode } }) => sellerId === report.sellerId && mode === report.mode,
        )
        if (own.length >= reportsMax) return { kind: "limit" }
        state.reports.set(report.id, {
          ...{ report, run: undefined, isAsked: false, leaseEndMillis: undefined, links: [] },
        })
        setTimer(state, report.id, report.nextMillis ?? 0)
        return { kind: "created" }
      }),

    list: ({ sellerId, mode }) =>
      atomicStep(state, () =>
        [...state.reports.values()]
          .map(({ report }) => report)
          .filter((report) => report.sellerId === sellerId && report.mode === mode)
          .sort(newestFirst),
      ),

    load: (id) => atomicStep(state, () => state.reports.get(id)?.report),

    remove: ({ sellerId, mode }, id) =>
      atomicStep(state, () => {
        const report = state.reports.get(id)?.report
        if (report?.sellerId !== sellerId || report.mode !== mode) return { kind: "missing" }
        state.reports.delete(id)
        dropTimer(state, id, reportTimerName)
        return { kind: "removed" }
      }),

    sendNow: ({ sellerId, mode }, id) =>
      atomicStep(state, (nowMillis) => {
        const found = state.reports.get(id)
        if (found?.report.sellerId !== sellerId || found.report.mode !== mode) return { kind: "missing" }
        if (found.report.nextMillis === undefined) return { kind: "nobody" }
        found.report = { ...found.report, nextMillis: nowMillis }
        found.isAsked = true
        setTimer(state, id, nowMillis)
        return { kind: "due", dueMillis: nowMillis }
      }),

    claim: (id) =>
      atomicStep(state, (nowMillis) => {
        const found = state.reports.get(id)
        const next = found?.report.nextMillis
        if (found === undefined || next === undefined) {
          dropTimer(state, id, reportTimerName)
          return undefined
        }
        const lease = found.leaseEndMillis ?? 0
        if (next > nowMillis || lease > nowMillis) {
          setTimer(state, id, Math.max(next, lease))
          return undefined
        }
        const leaseEndMillis = nowMillis + limits.reportLeaseMillis
        found.leaseEndMillis = leaseEndMillis
        setTimer(state, id, leaseEndMillis)
        return { report: found.report, run: found.run, isAsked: found.isAsked, leaseEndMillis }
      }),

    keepLink: (claimed, link) =>
      atomicStep(state, (nowMillis) => {
        const found = heldBy(state, claimed)
        if (found === undefined) return undefined
        const left: ReadonlyArray<ReportLink> = found.links.filter(({ endsMillis }) => endsMillis > nowMillis)
        found.links = [...left, link]
        const leaseEndMillis = Math.max(nowMillis + limits.reportLeaseMillis, claimed.leaseEndMillis + 1)
        found.leaseEndMillis = leaseEndMillis
        setTimer(state, claimed.report.id, leaseEndMillis)
        return { ...claimed, leaseEndMillis }
      }),

    noteMail: (claimed, from, recipient, isFailed) =>
      atomicStep(state, () => {
        const found = heldBy(state, claimed)
        if (found === undefined) return { kind: "stale" }
        const run = runOf(found, from)
        found.run = { ...run, done: [...run.done, recipient], failed: run.failed + (isFailed ? 1 : 0) }
        return { kind: "noted" }
      }),

    finish: (claimed, end) =>
      atomicStep(state, (nowMillis) => {
        const found = heldBy(state, claimed)
        if (found === undefined) return { kind: "stale" }
        const { id } = claimed.report
        found.leaseEndMillis = undefined
        if (end.kind === "again") {
          const run = runOf(found, end.from)
          found.run = { ...run, tries: run.tries + 1 }
        } else {
          found.run = undefined
          if (end.sent !== undefined) {
            found.report = { ...found.report, last: { ...end.sent, atMillis: nowMillis } }
            found.isAsked = false
          }
        }
        if (found.report.nextMillis === undefined) {
          dropTimer(state, id, reportTimerName)
          return { kind: "noted" }
        }
        const nextMillis = nextMillisAfter(found, end, nowMillis)
        found.report = { ...found.report, nextMillis }
        setTimer(state, id, nextMillis)
        return { kind: "noted" }
      }),

    changeRecipients: ({ id, recipients: expected }, recipients, isLast) =>
      atomicStep(state, () => {
        const found = state.reports.get(id)
        if (found?.report.recipients !== expected) return { kind: "stale" }
        found.report = { ...found.report, recipients }
        if (isLast) {
          found.report = { ...found.report, nextMillis: undefined }
          dropTimer(state, id, reportTimerName)
        }
        return { kind: "noted" }
      }),

    findLink: (id, hash) =>
      atomicStep(state, () => {
        const found = state.reports.get(id)
        const link = found?.links.find((one) => one.hash === hash)
        return found === undefined || link === undefined ? undefined : { report: found.report, link }
      }),
  })
