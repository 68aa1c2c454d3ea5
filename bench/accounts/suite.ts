import { limits } from "../../schema/limits.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { withSides } from "../support/sides.ts"
import { type HashingResult, measureHashing, peopleFor } from "./hashing.ts"
import { answersCheck, measureKnownEmails } from "./knownEmails.ts"
import { measureOutage, type OutageSize } from "./outage.ts"
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

/** The small attack is fast and its checks are cheap: it too asks for more checks than there is time for. */
const outageSizes: Readonly<Record<Size, OutageSize>> = {
  small: {
    attackers: [100],
    attackEveryMillis: 1_000,
    onsetMillis: 4_000,
    owners: 3,
    ownerEveryMillis: 200,
    passwordCost: 9,
  },
  default: {
    attackers: [64, 640],
    attackEveryMillis: 12_000,
    onsetMillis: 60_000,
    owners: 10,
    ownerEveryMillis: 3_000,
    passwordCost: limits.passwordCostDefault,
  },
  full: {
    attackers: [64, 640],
    attackEveryMillis: 12_000,
    onsetMillis: 120_000,
    owners: 20,
    ownerEveryMillis: 6_000,
    passwordCost: limits.passwordCostDefault,
  },
}

const settingsFor = ({ passwordCost }: { readonly passwordCost: number }) => ({
  ...trustingSettings,
  PASSWORD_COST: `${passwordCost}`,
})

const hashingCheck = ({ problems }: HashingResult): Check => ({
  name: "answers",
  isRight: problems.length === 0,
  detail:
    problems.length === 0
      ? "every sign-in and every /health was answered with 200"
      : `${problems.length} wrong: ${problems.slice(0, 3).join("; ")}`,
})

const runHashing = (parameters: (typeof sizes)[Size], progress: Progress) =>
  withSides(["corrente"], settingsFor(parameters), async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
    try {
      const people = await makePeople(side, peopleFor(parameters.signInsAtATime))
      const [person] = people
      if (person === undefined) throw new Error("no person was created")
      const hashing = await measureHashing({ side, load, people }, parameters, progress)
      const emails = await measureKnownEmails(side, person, parameters.samples, progress)
      return {
        metrics: [...hashing.metrics, ...emails.metrics],
        targets: [hashing.target, ...emails.targets],
        checks: [hashingCheck(hashing), answersCheck(emails)],
      }
    } finally {
      await load.stop()
    }
  })

/**
 * Sign-in: the effect of hashing on other requests, whether response times reveal who has an account, and who gets in
 * beside clients that try wrong passwords.
 */
export const runAccounts = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const parameters = sizes[size]
  const attack = outageSizes[size]
  const hashing = await runHashing(parameters, progress)
  const outage = await measureOutage(attack, settingsFor(attack), progress)
  return {
    suite: "accounts",
    parameters: {
      ...parameters,
      attackers: attack.attackers.join(", "),
      attackEveryMillis: attack.attackEveryMillis,
      onsetMillis: attack.onsetMillis,
      owners: attack.owners,
      ownerEveryMillis: attack.ownerEveryMillis,
      attackPasswordCost: attack.passwordCost,
      ...notes,
    },
    metrics: [...hashing.metrics, ...outage.metrics],
    targets: [...hashing.targets, ...outage.targets],
    checks: [...hashing.checks, ...outage.checks],
  }
}

const notes = {
  sides: "one process and a redis-server: append-only, fsync always, noeviction",
  health:
    "open loop at a fixed rate, timed from when each request was due; idle and during sign-ins, in turn",
  "sign-ins": "closed loop; people with 2FA send the right password: first steps only",
  attack:
    "a separate service for each number of clients; open loop, each client in a /32 of its own, limits in force; owners sign in once, from networks that nobody used before",
  addresses: "one request at a time, known and unknown in turn; rate limits are reset before each",
}
