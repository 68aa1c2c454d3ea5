/** A place where a process is made to die as if its machine had: the nth time before or after a port's call. */
export interface FaultPoint {
  readonly moment: "before" | "after"
  /** `withdrawals.create`: a port and its function. */
  readonly call: string
  /** Only calls count whose arguments, or whose answer once there is one, hold this text; undefined: all do. */
  readonly about: string | undefined
  /** Which time, from 1. */
  readonly occurrence: number
  /** Counting begins with the first call, of any of the ports, whose arguments hold this text; absent: at once. */
  readonly since?: string
}

/** The ports that can have a fault point. */
export const faultPorts = ["transactions", "withdrawals", "inbox", "timers", "acquirer"] as const
export type FaultPort = (typeof faultPorts)[number]

const pattern = new RegExp(
  `^(before|after):((?:${faultPorts.join("|")})\\.[a-z][A-Za-z]*)(?:\\[([A-Za-z0-9_]+)\\])?(?:#([1-9]\\d{0,3}))?(?:@([A-Za-z0-9_]+))?$`,
)

/**
 * Reads `before:withdrawals.create`, `after:acquirer.sendPayout#2` or `after:timers.claim[wd_01]@order_7`; undefined for
 * anything else.
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
