import { limits } from "../../schema/limits.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { withSides } from "../support/sides.ts"
import { type HashingResult, measureHashing, peopleFor } from "./hashing.ts"
import { answersCheck, measureKnownEmails } from "./knownEmails.ts"
import { makePeople, trustingSettings } from "./people.ts"

/**
 * Twenty concurrent sign-ins hash, at the default cost. The small size has fewer and cheaper ones: hashing threads run at
 * low priority, and each sign-in must be answered in time on a machine whose cores are all busy.
 */
const sizes = {
  small: {
    rounds: 1,
    warmUpMillis: 100,
    measureMillis: 400,
    healthPerSecond: 200,
    signInsAtATime: 5,
    samples: 1,
    passwordCost: 6,
  },
  default: {
    rounds: 5,
    warmUpMillis: 2_000,
    measureMillis: 10_000,
    healthPerSecond: 200,
    signInsAtATime: 20,
    samples: 200,
    passwordCost: limits.passwordCostDefault,
  },
  full: {
    rounds: 9,
    warmUpMillis: 5_000,
    measureMillis: 20_000,
    healthPerSecond: 200,
    signInsAtATime: 20,
    samples: 200,
    passwordCost: limits.passwordCostDefault,
  },
} as const satisfies Record<Size, object>

const settingsFor = (size: Size) => ({ ...trustingSettings, PASSWORD_COST: `${sizes[size].passwordCost}` })

const hashingCheck = ({ problems }: HashingResult): Check => ({
  name: "answers",
  isRight: problems.length === 0,
  detail:
    problems.length === 0
      ? "every sign-in and every /health was answered with 200"
      : `${problems.length} wrong: ${problems.slice(0, 3).join("; ")}`,
})

/** Sign-in: the effect of hashing on other requests, and whether response times reveal who has an account. */
export const runAccounts = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withSides(["corrente"], settingsFor(size), async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const parameters = sizes[size]
    const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
    try {
      const people = await makePeople(side, peopleFor(parameters.signInsAtATime))
      const [person] = people
      if (person === undefined) throw new Error("no person was created")
      const hashing = await measureHashing({ side, load, people }, parameters, progress)
      const emails = await measureKnownEmails(side, person, parameters.samples, progress)
      return {
        suite: "accounts",
        parameters: { ...parameters, ...notes },
        metrics: [...hashing.metrics, ...emails.metrics],
        targets: [hashing.target, ...emails.targets],
        checks: [hashingCheck(hashing), answersCheck(emails)],
      }
    } finally {
      await load.stop()
    }
  })

const notes = {
  sides: "one process and a redis-server: append-only, fsync always, noeviction",
  health:
    "open loop at a fixed rate, timed from when each request was due; idle and during sign-ins, in turn",
  "sign-ins": "closed loop; people with 2FA send the right password: first steps only",
  addresses: "one request at a time, known and unknown in turn; rate limits are reset before each",
}
