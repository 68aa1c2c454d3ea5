import type { Progress, Size, SuiteResult } from "../report/result.ts"
import { streamsPermitted } from "../sse/fileLimit.ts"
import { withSides } from "../support/sides.ts"
import { measureCharges } from "./charges.ts"
import { measureOpenings } from "./openings.ts"

const sizes = {
  small: { usersFew: 8, usersMany: 200, secondsFew: 2, secondsMany: 3, secondsAfter: 3, streams: 100 },
  default: {
    usersFew: 64,
    usersMany: 6_000,
    secondsFew: 8,
    secondsMany: 20,
    secondsAfter: 6,
    streams: 20_000,
  },
  full: {
    usersFew: 64,
    usersMany: 6_000,
    secondsFew: 10,
    secondsMany: 60,
    secondsAfter: 10,
    streams: 20_000,
  },
} as const satisfies Record<Size, object>

/** Nothing falls due meanwhile: it is requests alone that are too many. */
const settings = { SIMULATOR_DELAY_MS: "86400000" }
/** A small crowd is one where requests may wait for less. */
const smallSettings = { ...settings, ADMISSION_TARGET_MS: "20" }

/** More than can be done is asked for: how much is done then, and how soon the others hear that it is not. */
export const runOverload = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withSides(["corrente"], size === "small" ? smallSettings : settings, async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const parameters = sizes[size]
    const streams = await streamsPermitted(parameters.streams)
    const patient = await measureCharges(side, parameters, true, progress)
    const pressing = await measureCharges(side, parameters, false, progress)
    const openings = await measureOpenings(side, streams, progress)
    return {
      suite: "overload",
      parameters: { ...parameters, streams, ...notes },
      metrics: [...patient.metrics, ...pressing.metrics, ...openings.metrics],
      targets: [...patient.targets, ...pressing.targets],
      checks: [...patient.checks, ...pressing.checks, ...openings.checks],
    }
  })

const notes = {
  side: "one process and a redis-server: append-only, fsync always, noeviction",
  users:
    "closed loop, of one seller; one who has waited for 2 s closes the connection and sends the same again",
  refusals:
    "who is refused comes again after Retry-After and up to a quarter more; `at once again` means at once",
  rounds: "of what is counted a second, the seconds; of percentiles, one over all seconds of the crowd",
  openings:
    "ten streams a seller, all at one time; who is told to reconnect comes after the retry it was told",
}
