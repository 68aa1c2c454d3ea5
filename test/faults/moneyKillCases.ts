import { sizes } from "../support/sizes.ts"
import { chargePaths } from "./moneyKillCharges.ts"
import type { Path } from "./moneyKillPath.ts"
import { payoutPaths } from "./moneyKillPayouts.ts"
import { refundPaths } from "./moneyKillRefunds.ts"
import { resolutionPaths } from "./moneyKillResolutions.ts"
import type { Books } from "./moneyKillWorld.ts"

/** All paths, by name. */
export const paths = { ...payoutPaths, ...chargePaths, ...refundPaths, ...resolutionPaths }
/** The name of a path. */
export type PathName = keyof typeof paths

/** All calls of a path, in order. */
export const callsOf = (name: PathName): ReadonlyArray<string> => {
  const { firstReads = [], calls }: Path = paths[name]
  return [...firstReads, ...calls]
}

/** A path whose processes die one after another, at fault points. */
export interface KillCase {
  readonly name: string
  readonly path: PathName
  /** The first counts from the path's first call, a later one from its process' start. None: no process dies. */
  readonly faultPoints: ReadonlyArray<string>
  /** Where the books differ from those of the unharmed path. */
  readonly books?: Partial<Books>
  /** Leases end in real time. */
  readonly isInRealTime?: boolean
}

/** In place of a fault point: the path itself kills its process. */
export const killedFromOutside = "killed from outside"

/** The nth call of a path as a fault point: `withdrawals.load#3`. */
const nthOf = (calls: ReadonlyArray<string>, index: number): string => {
  const call = calls[index] ?? ""
  return `${call}#${calls.slice(0, index + 1).filter((other) => other === call).length}`
}

/** Whether a call changes nothing, here or at the PSP, so that after it all is as before the next call. */
const isRead = (call: string): boolean => /\.(readPreconditions|load|(find|query|list)[A-Z])/.test(call)

/**
 * Cases before a call, and after it if it changes anything. A claim takes what the call before it left, so one process
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

/** The fault points that a call must have, however often and on whichever path it is passed. */
export const mustHave = (call: string): ReadonlyArray<string> => [
  `before:${call}`,
  ...(isRead(call) ? [] : [`after:${call}`]),
]

/** Cases around the calls of a path from `first` to before `end`; other paths cover the calls outside. */
export const around = (path: PathName, first = 0, end: number = paths[path].calls.length) =>
  Array.from({ length: end - first }, (_, i) => aroundCall(path, first + i)).flat()

const last = (path: PathName): number => paths[path].calls.length - 1
const firstOf = (path: PathName, call: string): number => {
  const { calls }: Path = paths[path]
  return calls.indexOf(call)
}

const at = (path: PathName, point: string, more: Partial<KillCase> = {}): KillCase => ({
  name: `${path}: ${point}`,
  path,
  faultPoints: [point],
  ...more,
})

/** Each path of the table, with no process killed. */
export const unharmedCases: ReadonlyArray<KillCase> = (
  [
    ...["payout", "slowPayout", "noticedPayout", "lostReply", "failedPayout", "refusedPayout", "rejected"],
    ...["cancelled", "autoApproved", "beyondBalance", "charge", "unnoticedCharge", "refund", "reserve"],
    ...["sellerRefund", "noticedRefund", "lostRefundReply", "failedRefund", "refusedRefund", "beyondCharge"],
  ] as ReadonlyArray<PathName>
).map((path) => ({ name: path, path, faultPoints: [] }))

const secondPostpone = firstOf("slowPayout", "acquirer.queryPayout") + 1

const table: ReadonlyArray<KillCase> = [
  ...around("payout"),
  // The list of sent payouts is read before one that its query does not know is sent again. A sweep has read it once by then.
  {
    name: "payout: after:withdrawals.transition#2, then before:acquirer.listSent#2",
    path: "payout",
    faultPoints: ["after:withdrawals.transition#2", "before:acquirer.listSent#2"],
  },
  ...around("slowPayout", secondPostpone, secondPostpone + 1),
  ...around("noticedPayout", firstOf("noticedPayout", "inbox.receive")),
  {
    ...at("noticedPayout", "after:acquirer.queryPayout#1", { isInRealTime: true }),
    name: "noticedPayout: after:acquirer.queryPayout#1, waiting for its leases",
  },
  ...around("failedPayout", last("failedPayout")),
  at("refusedPayout", "before:withdrawals.transition#3", {
    books: { ...paths.payout.books, payouts: { sent: 3, paid: 1 } },
  }),
  at("refusedPayout", "after:withdrawals.transition#3"),
  ...around("rejected", last("rejected")),
  ...around("cancelled", last("cancelled")),
  ...around("autoApproved", 1, 3),
  // A timer asks about it beside the operator's call, so these points are named, not counted from the path's calls.
  ...["after:operatorLog.append#2", "before:pixClaims.claim#1", "after:pixClaims.claim#1"].map((point) =>
    at("paidByHand", point),
  ),
  ...["before:withdrawals.transition#2", "after:withdrawals.transition#2"].flatMap((point) => [
    at("paidByHand", point),
    at("failedByHand", point),
  ]),
  at("abandoned", "before:withdrawals.readPreconditions#1"),
  at("abandoned", "before:withdrawals.create#1"),
  ...around("beyondBalance", last("beyondBalance")),
  at("foundLater", "after:withdrawals.create#1"),
  at("lostReply", "before:acquirer.queryPayout#1"),
  at("lostReply", "before:withdrawals.transition#3"),
  at("hangingReply", killedFromOutside),
  ...around("charge"),
  ...around("unnoticedCharge", firstOf("unnoticedCharge", "timers.claim[txn_]")),
  ...around("refund", paths.charge.calls.length),
  ...around("reserve", paths.charge.calls.length),
  ...around("sellerRefund"),
  ...around("noticedRefund", firstOf("noticedRefund", "inbox.receive")),
  at("lostRefundReply", "before:acquirer.queryRefund#1"),
  at("lostRefundReply", "before:refunds.transition#2"),
  ...around("failedRefund", last("failedRefund")),
  at("refusedRefund", "before:refunds.transition#2", {
    books: { ...paths.sellerRefund.books, returns: { sent: 3, made: 1 } },
  }),
  at("refusedRefund", "after:refunds.transition#2"),
  ...around("beyondCharge", last("beyondCharge")),
]

/** Cases in which the PSP does not know the payout or refund, which is sent again only after a real minute. */
const waitingForResend: ReadonlyArray<string> = [
  "payout: after:withdrawals.transition#2",
  "payout: after:withdrawals.transition#2, then before:acquirer.listSent#2",
  "payout: before:acquirer.sendPayout#1",
  "refusedPayout: before:withdrawals.transition#3",
  "sellerRefund: after:refunds.transition#1",
  "sellerRefund: before:acquirer.refund#1",
  "refusedRefund: before:refunds.transition#2",
]

const isSlow = ({ name, isInRealTime }: KillCase): boolean =>
  isInRealTime === true || waitingForResend.includes(name)

/** A fault point without its subject and occurrence: `before:timers.claim`. */
export const pointOf = (faultPoint: string): string => faultPoint.replace(/[[#].*/, "")

/**
 * The first case after each call that changes anything. A process that dies before a call leaves what one leaves that died after
 * the call before it.
 */
const sampleOf = (cases: ReadonlyArray<KillCase>): ReadonlyArray<KillCase> => {
  const seen = new Set<string>()
  return cases.filter(({ faultPoints }) => {
    const changes = faultPoints.map(pointOf).filter((point) => !point.startsWith("before:"))
    const news = changes.filter((point) => !seen.has(point))
    for (const name of news) seen.add(name)
    return news.length > 0
  })
}

/** All cases, those that take a minute first. */
export const allKillCases: ReadonlyArray<KillCase> = [
  ...table.filter(isSlow),
  ...table.filter((kill) => !isSlow(kill)),
]
/** How many lanes they run on: a case mostly waits, and some of them for a minute, but each lane has processes that idle. */
export const killLanes = sizes.moneyKills === "all" ? 8 : 4
/** The cases to run: all, or a sample with every changing call. */
export const killCases: ReadonlyArray<KillCase> =
  sizes.moneyKills === "all" ? allKillCases : sampleOf(allKillCases)
