import { sizes } from "../support/sizes.ts"

/**
 * Calls of the closing of a day, from the first look at a ledger until the next day's: of a seller whose money moved, and of one
 * whose did not.
 */
const calls = [
  ...["ledger.readSpan", "closings.ofSeller", "closings.closeSeller", "ledger.readSpan", "closings.claim"],
  ...["closings.ofPart", "closings.closePart", "closings.ofPart"],
  ...["acquirer.listReceived", "acquirer.listSent", "closings.claim"],
  ...["closings.closeWhole", "closings.claim", "closings.claim", "closings.lastOfPart", "closings.sellers"],
] as const

/** What a process does first: it takes the lease, and looks which day is next. */
const firstPoints = [
  ...["before:closings.claim", "after:closings.claim", "before:closings.list", "before:closings.sellers"],
  ...["before:ledger.readSpan", "before:closings.lastOfPart"],
]

const isWrite = (call: string): boolean => /\.(claim|close[A-Z])/.test(call)

/** Each call's fault points, counted from the first look at the day's ledger. */
const dayPoints = calls.flatMap((call, place) => {
  const nth = `${call}#${calls.slice(0, place + 1).filter((other) => other === call).length}`
  return isWrite(call) ? [`before:${nth}`, `after:${nth}`] : [`before:${nth}`]
})

/** Between the writes of a day. */
const sample = [
  ...["after:closings.closeSeller#1", "after:closings.closePart#1"],
  ...["before:acquirer.listSent#1", "after:closings.closeWhole#1"],
]

/** A process's death: at its first calls, or within a day. */
export interface ClosingKill {
  readonly faultPoint: string
  readonly isWithinDay: boolean
}

const all = [
  ...firstPoints.map((faultPoint): ClosingKill => ({ faultPoint, isWithinDay: false })),
  ...dayPoints.map((faultPoint): ClosingKill => ({ faultPoint, isWithinDay: true })),
]

/** The kills to try. */
export const closingKills: ReadonlyArray<ClosingKill> =
  sizes.moneyKills === "all"
    ? all
    : all.filter(({ faultPoint, isWithinDay }) => isWithinDay && sample.includes(faultPoint))
