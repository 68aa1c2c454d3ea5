import { sizes } from "../support/sizes.ts"
import { around, type KillCase } from "./moneyKillCases.ts"
import { deciding, resolutionPaths } from "./moneyKillResolutions.ts"

type ResolutionName = keyof typeof resolutionPaths
const names = Object.keys(resolutionPaths) as ReadonlyArray<ResolutionName>

/** Paths with kills around each of their calls. */
const whole: ReadonlyArray<ResolutionName> = [
  ...(["creditSecond", "refundSecond", "creditUnknown", "refundUnknown", "twoCredit"] as const),
]
/** Paths whose calls are not compared: timers of the charge, the withdrawal or the refund come in between. */
const restless: ReadonlyArray<ResolutionName> = [
  ...(["refundMismatch", "settleStuck", "failStuck", "settleCharge", "failCharge"] as const),
  ...(["settleWithdrawal", "failWithdrawal", "settleRefund", "failRefund"] as const),
  ...(["settleStuckRefund", "failStuckRefund", "refundUnconfirmed"] as const),
]

/** Around all calls, or around those of the act itself: the calls before it are those of other paths. */
const casesOf = (path: ResolutionName): ReadonlyArray<KillCase> => {
  if (whole.includes(path)) return around(path)
  const calls: ReadonlyArray<string> = resolutionPaths[path].calls
  if (path !== "twoCreditUnknown") return around(path, deciding.length)
  const credit = calls.indexOf("exceptions.credit")
  return around(path, credit, credit + 1)
}

/** Cases in which the PSP does not know the refund, which is sent again only after a minute. */
const waitingForResend: ReadonlyArray<string> = ["refundSecond", "refundUnknown"].flatMap((path) => [
  `${path}: after:exceptions.commit#2`,
  `${path}: before:acquirer.refund#1`,
])

const table = names.flatMap(casesOf)
const isSlow = ({ name }: KillCase): boolean => waitingForResend.includes(name)
/** All cases, those that take a minute first. */
export const resolutionTable: ReadonlyArray<KillCase> = [
  ...table.filter(isSlow),
  ...table.filter((kill) => !isSlow(kill)),
]

/** Where an act is logged and not done, agreed to by one operator, half done, or done and not answered. */
const sample: ReadonlyArray<string> = [
  ...["debit: before:withdrawals.transition#1", "creditUnknown: after:exceptions.credit#1"],
  ...[
    "refundSecond: after:acquirer.refund#1, then before:timers.claim",
    "creditSecond: after:transactions.transition#1",
  ],
  "twoCredit: after:exceptions.commit#1",
]

/** The cases to run. */
export const resolutionCases: ReadonlyArray<KillCase> =
  sizes.moneyKills === "all" ? resolutionTable : resolutionTable.filter(({ name }) => sample.includes(name))

/** Their paths with no process killed, as far as their calls are compared. */
export const unharmedResolutions: ReadonlyArray<KillCase> = names
  .filter((path) => !restless.includes(path) && resolutionCases.some((kill) => kill.path === path))
  .map((path) => ({ name: path, path, faultPoints: [] }))

/** How many lanes they run on. */
export const resolutionLanes = sizes.moneyKills === "all" ? 6 : 2
