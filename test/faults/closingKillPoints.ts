import { sizes } from "../support/sizes.ts"
import { passedIn } from "./moneyKillLane.ts"

/**
 * Calls of the closing of a day, from the first look at a ledger until the next day's: of a seller whose money moved, and of one
 * whose did not.
 */
const callsOfDay = [
  ...["ledger.readSpan", "closings.ofSeller", "closings.closeSeller", "ledger.readSpan", "closings.claim"],
  ...["closings.ofPart", "closings.closePart", "closings.ofPart"],
  ...["acquirer.listReceived", "acquirer.listReturned", "acquirer.listSent"],
  ...["closings.claim", "closings.claim", "closings.closeWhole"],
  ...["closings.claim", "closings.claim", "closings.lastOfPart", "closings.sellers"],
] as const

/**
 * Those of the last day that is due, after the acquirer's lists: its balance is compared with the ledgers as they are by now, and with
 * the open exceptions.
 */
const callsOfBalance = [
  ...["acquirer.queryBalance", "closings.claim", "closings.sellers", "ledger.readSpan", "ledger.readSpan"],
  ...["closings.claim", "exceptions.list"],
] as const

/** Sweeps call them, too, so that their place in a log says nothing. */
const isOfSweeps = (call: string): boolean => call.startsWith("acquirer.list")
const whole = callsOfDay.indexOf("closings.closeWhole")

/** The closing of a day between that of the day before and its own end, without the acquirer's lists. */
export const wholeDay: ReadonlyArray<string> = [
  ...callsOfDay.slice(whole + 1),
  ...callsOfDay.slice(0, whole + 1),
].filter((call) => !isOfSweeps(call))

/** The end of the closing of a last day, likewise: what comes before may have been done by a process that died. */
export const lastDayEnd: ReadonlyArray<string> = [
  ...["closings.ofPart", "closings.claim"],
  ...[...callsOfBalance, "closings.claim", "closings.closeWhole"],
]

/** Calls of closings, but for what operators read, too. */
const ofClosings = /^(closings\.(?!get$|list$)|ledger\.)|^acquirer\.queryBalance$|^exceptions\.list$/

/** The calls of closings in a log, in order: those of each day, up to its end. */
export const daysIn = (log: string): ReadonlyArray<ReadonlyArray<string>> => {
  const calls = passedIn(log).flatMap((line) => /^before ([^ ]+)/.exec(line)?.[1] ?? [])
  const own = calls.filter((call) => ofClosings.test(call))
  const ends = own.flatMap((call, i) => (call === "closings.closeWhole" ? [i + 1] : []))
  return ends.map((end, i) => own.slice(ends[i - 1] ?? 0, end))
}

/** What a process does first: it takes the lease, and looks which day is next. */
const firstPoints = [
  ...["before:closings.claim", "after:closings.claim", "before:closings.list", "before:closings.sellers"],
  ...["before:ledger.readSpan", "before:closings.lastOfPart"],
]

const isWrite = (call: string): boolean => /\.(claim|close[A-Z])/.test(call)

/** Each call's fault points, counted from the first look at the day's ledger. */
const dayPoints = callsOfDay.flatMap((call, place) => {
  const nth = `${call}#${callsOfDay.slice(0, place + 1).filter((other) => other === call).length}`
  return isWrite(call) ? [`before:${nth}`, `after:${nth}`] : [`before:${nth}`]
})

/** Between the writes of a day. */
const sample = [
  ...["after:closings.closeSeller#1", "after:closings.closePart#1"],
  ...["before:acquirer.listSent#1", "after:closings.closeWhole#1"],
]

/** In the closing of the last day, where no other asks for them. */
const balancePoints = ["before:acquirer.queryBalance", "before:exceptions.list"]

/** A process's death: at its first calls, within a day of its own, or within the last day that is due. */
export interface ClosingKill {
  readonly faultPoint: string
  readonly within: "start" | "day" | "lastDay"
}

const killsOf = (within: ClosingKill["within"], points: ReadonlyArray<string>): ReadonlyArray<ClosingKill> =>
  points.map((faultPoint) => ({ faultPoint, within }))

const isAll = sizes.moneyKills === "all"

/** The kills to try. Those of the last day close all days before it, so that they come last. */
export const closingKills: ReadonlyArray<ClosingKill> = [
  ...(isAll ? killsOf("start", firstPoints) : []),
  ...killsOf("day", isAll ? dayPoints : sample),
  ...killsOf("lastDay", balancePoints),
]
