import { sizes } from "../support/sizes.ts"
import { chargePaths } from "./moneyKillCharges.ts"
import { payoutPaths } from "./moneyKillPayouts.ts"
import type { Books } from "./moneyKillWorld.ts"

/** All paths, by what they are called. */
export const paths = { ...payoutPaths, ...chargePaths }
export type PathName = keyof typeof paths

/** A path whose processes die, one after the other, at fault points. */
export interface KillCase {
  readonly name: string
  readonly path: PathName
  /** The first counts from the path's first call, the next from its process' start. None: nobody dies. */
  readonly faultPoints: ReadonlyArray<string>
  /** What is left otherwise than by the path unharmed. */
  readonly books?: Partial<Books>
  /** Leases are waited for. */
  readonly isInTrueTime?: boolean
}

/** In place of a fault point: the path has its process killed itself. */
export const killedFromOutside = "killed from outside"

/** The nth call of a path as a fault point: `withdrawals.load#3`. */
const nthOf = (calls: ReadonlyArray<string>, index: number): string => {
  const call = calls[index] ?? ""
  return `${call}#${calls.slice(0, index + 1).filter((other) => other === call).length}`
}

/** Calls that change nothing, here or at the PSP: after one, all is as before the next call. */
const isRead = (call: string): boolean => /\.(readPreconditions|load|query[A-Z])/.test(call)

/**
 * Before a call, and after it where it changes anything. A claim is of what the call before it has left, so a process
 * dies after that call, and the next one before it claims: that case stands for both.
 */
const aroundCall = (path: PathName, index: number): ReadonlyArray<KillCase> => {
  const { calls } = paths[path]
  const isClaim = (place: number) => calls[place]?.startsWith("timers.claim") === true
  const call = nthOf(calls, index)
  const before = isClaim(index)
    ? [`after:${nthOf(calls, index - 1)}`, "before:timers.claim"]
    : [`before:${call}`]
  const around = isClaim(index + 1) || isRead(call) ? [before] : [before, [`after:${call}`]]
  return around.map((faultPoints) => ({
    name: `${path}: ${faultPoints.join(", then ")}`,
    path,
    faultPoints,
  }))
}

/** The fault points that a call must have, however often and in whatever path it is passed. */
export const mustHave = (call: string): ReadonlyArray<string> => [
  `before:${call}`,
  ...(isRead(call) ? [] : [`after:${call}`]),
]

/** Around each call of a path from one to another; those before and behind are killed at elsewhere. */
const around = (path: PathName, first = 0, end: number = paths[path].calls.length) =>
  Array.from({ length: end - first }, (_, i) => aroundCall(path, first + i)).flat()

const last = (path: PathName): number => paths[path].calls.length - 1
const firstOf = (path: PathName, call: string): number => paths[path].calls.indexOf(call)

const at = (path: PathName, point: string, more: Partial<KillCase> = {}): KillCase => ({
  name: `${path}: ${point}`,
  path,
  faultPoints: [point],
  ...more,
})

/** Each path that the table goes along, with nobody killed. */
export const unharmedCases: ReadonlyArray<KillCase> = (
  [
    ...["payout", "slowPayout", "toldPayout", "lostReply", "failedPayout", "refusedPayout", "rejected"],
    ...["cancelled", "autoApproved", "beyondBalance", "charge", "untoldCharge", "refund", "reserve"],
  ] as ReadonlyArray<PathName>
).map((path) => ({ name: path, path, faultPoints: [] }))

const secondPostpone = firstOf("slowPayout", "acquirer.queryPayout") + 1

const table: ReadonlyArray<KillCase> = [
  ...around("payout"),
  ...around("slowPayout", secondPostpone, secondPostpone + 1),
  ...around("toldPayout", firstOf("toldPayout", "inbox.receive")),
  {
    ...at("toldPayout", "after:acquirer.queryPayout#1", { isInTrueTime: true }),
    name: "toldPayout: after:acquirer.queryPayout#1, and its leases are waited for",
  },
  ...around("failedPayout", last("failedPayout")),
  at("refusedPayout", "before:withdrawals.transition#3", {
    books: { ...paths.payout.books, payouts: { sent: 3, paid: 1 } },
  }),
  at("refusedPayout", "after:withdrawals.transition#3"),
  ...around("rejected", last("rejected")),
  ...around("cancelled", last("cancelled")),
  ...around("autoApproved", 1, 3),
  at("abandoned", "before:withdrawals.readPreconditions#1"),
  at("abandoned", "before:withdrawals.create#1"),
  ...around("beyondBalance", last("beyondBalance")),
  at("foundLater", "after:withdrawals.create#1"),
  at("lostReply", "before:acquirer.queryPayout#1"),
  at("lostReply", "before:withdrawals.transition#3"),
  at("hangingReply", killedFromOutside),
  ...around("charge"),
  ...around("untoldCharge", firstOf("untoldCharge", "timers.claim[txn_]")),
  ...around("refund", paths.charge.calls.length),
  ...around("reserve", paths.charge.calls.length),
]

/** The PSP has not heard of the payout, and is asked again after a minute of its own. */
const waitingForResend: ReadonlyArray<string> = [
  "payout: after:withdrawals.transition#2",
  "payout: before:acquirer.sendPayout#1",
  "refusedPayout: before:withdrawals.transition#3",
]

const isSlow = ({ name, isInTrueTime }: KillCase): boolean =>
  isInTrueTime === true || waitingForResend.includes(name)

/** A fault point without how often and about what: `before:timers.claim`. */
export const pointOf = (faultPoint: string): string => faultPoint.replace(/[[#].*/, "")

/** The first case at each fault point, and the first on each path. */
const sampleOf = (cases: ReadonlyArray<KillCase>): ReadonlyArray<KillCase> => {
  const seen = new Set<string>()
  return cases.filter(({ path, faultPoints }) => {
    const news = [path, ...faultPoints.map(pointOf)].filter((name) => !seen.has(name))
    for (const name of news) seen.add(name)
    return news.length > 0
  })
}

/** Where processes are killed; those that take a minute first. */
const all: ReadonlyArray<KillCase> = [...table.filter(isSlow), ...table.filter((kill) => !isSlow(kill))]
export const killCases: ReadonlyArray<KillCase> = sizes.moneyKills === "all" ? all : sampleOf(all)
