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
/** A small crowd overloads only if requests may wait for less time. */
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

/** Asks for more than the service can do: how much it does then, and how soon it refuses the rest. */
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
    "closed loop, of one seller; one who has waited for 2 s closes the connection and sends the same again",
  refusals:
    "who is refused comes again after Retry-After and up to a quarter more; `at once again` means at once",
  rounds: "of what is counted a second, the seconds; of percentiles, one over all seconds of the crowd",
  "sign-ins":
    "a service of their own; closed loop, the right password, each from another network; given up after 12 s; the limits of tries are reset",
  openings:
    "ten streams a seller, all at one time; who is told to reconnect comes after the retry it was told",
}
