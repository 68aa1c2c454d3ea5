import type { Progress, Size, SuiteResult } from "../report/result.ts"
import { streamsPermitted } from "../sse/fileLimit.ts"
import { withSides } from "../support/sides.ts"
import { measureCharges } from "./charges.ts"
import { measureOpenings } from "./openings.ts"
import { measureSignIns, type SignInsParameters } from "./signIns.ts"

const sizes = {
  small: { usersFew: 8, usersMany: 200, secondsFew: 3, secondsMany: 3, crowds: 1, streams: 100 },
  default: {
    usersFew: 64,
    usersMany: 6_000,
    secondsFew: 8,
    secondsMany: 12,
    crowds: 2,
    streams: 20_000,
  },
  full: {
    usersFew: 64,
    usersMany: 6_000,
    secondsFew: 10,
    secondsMany: 30,
    crowds: 3,
    streams: 20_000,
  },
} as const satisfies Record<Size, object>

/** Even the small crowd exceeds the password checks that may wait. */
const signInSizes = {
  small: { peopleFew: 4, peopleMany: 100, signInSecondsFew: 2, signInSecondsMany: 3 },
  default: { peopleFew: 4, peopleMany: 1_000, signInSecondsFew: 12, signInSecondsMany: 30 },
  full: { peopleFew: 4, peopleMany: 1_000, signInSecondsFew: 22, signInSecondsMany: 90 },
} as const satisfies Record<Size, SignInsParameters>

/** Nothing falls due meanwhile: requests alone overload the service. */
const settings = { SIMULATOR_DELAY_MS: "86400000" }
/** A small crowd causes an overload only if requests may wait for less time. */
const smallSettings = { ...settings, ADMISSION_TARGET_MS: "20" }

const runRequests = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withSides(["corrente"], size === "small" ? smallSettings : settings, async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const parameters = sizes[size]
    const streams = await streamsPermitted(parameters.streams)
    const patient = await measureCharges(side, parameters, true, progress)
    const pressing = await measureCharges(side, parameters, false, progress)
    const openings = await measureOpenings(side, streams, progress)
    return {
      suite: "overload",
      parameters: { ...parameters, streams },
      metrics: [...patient.metrics, ...pressing.metrics, ...openings.metrics],
      targets: [...patient.targets, ...pressing.targets],
      checks: [...patient.checks, ...pressing.checks, ...openings.checks],
    }
  })

/** Asks for more than the service can do: measures how much it still does, and how soon it refuses the rest. */
export const runOverload = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { suite, parameters, metrics, targets, checks } = await runRequests(size, progress)
  const signIns = await measureSignIns(signInSizes[size], progress)
  return {
    suite,
    parameters: { ...parameters, ...signInSizes[size], ...notes },
    metrics: [...metrics, ...signIns.metrics],
    targets: [...targets, ...signIns.targets],
    checks: [...checks, ...signIns.checks],
  }
}

const notes = {
  side: "one process and a redis-server: append-only, fsync always, noeviction",
  users:
    "closed loop, one seller; a user who has waited for 2 s closes the connection and sends the same request again",
  refusals:
    "a refused user retries after Retry-After plus up to a quarter of it; with `at once again`, immediately",
  rounds: "rates have one value per second; percentiles have one over all seconds of the crowd",
  "sign-ins":
    "a separate service; closed loop, the right password, each person from a different network; people give up after 12 s; rate limits are reset",
  openings:
    "ten streams per seller, all opened at once; a stream that gets reconnect comes back after the retry it was given",
}
