import { type SettingKind, textThat } from "../env/settingKinds.ts"

/** Where a test kills the process as if its machine had failed: before or after the nth call of a port's function. */
export interface FaultPoint {
  readonly moment: "before" | "after"
  /** A port and its function, such as `withdrawals.create`. */
  readonly call: string
  /** Counts only calls whose arguments or result contain this text; undefined: all calls. */
  readonly about: string | undefined
  /** Which call, counted from 1. */
  readonly occurrence: number
  /** Counting starts at the first call of any port whose arguments contain this text; absent: at once. */
  readonly since?: string
}

/** The ports that can have a fault point. */
const faultPorts = [
  ...([
    "transactions",
    "withdrawals",
    "refunds",
    "exceptions",
    "pixClaims",
    "sweeps",
    "closings",
    "ledger",
  ] as const),
  ...(["inbox", "timers", "operatorLog", "acquirer", "partitionMove"] as const),
] as const
export type FaultPort = (typeof faultPorts)[number]

const pattern = new RegExp(
  `^(before|after):((?:${faultPorts.join("|")})\\.[a-z][A-Za-z]*)(?:\\[([A-Za-z0-9_]+)\\])?(?:#([1-9]\\d{0,3}))?(?:@([A-Za-z0-9_]+))?$`,
)

/**
 * Parses `before:withdrawals.create`, `after:acquirer.sendPayout#2` or `after:timers.claim[wd_01]@order_7`; undefined
 * for anything else.
 */
export const parseFaultPoint = (text: string): FaultPoint | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  return {
    moment: match[1] === "before" ? "before" : "after",
    call: match[2] ?? "",
    about: match[3],
    occurrence: Number(match[4] ?? 1),
    ...(match[5] === undefined ? {} : { since: match[5] }),
  }
}

/** A fault point (see {@link parseFaultPoint}). */
export const faultPointText: SettingKind<string> = {
  codec: textThat((value) => parseFaultPoint(value) !== undefined),
  mustBe: `before:<port>.<function> or after:<port>.<function>, optionally followed by [text], #n and @text; ports: ${faultPorts.join(", ")}`,
}
