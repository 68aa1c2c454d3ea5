import type { LoadResult } from "../load/job.ts"
import type { Check } from "../report/result.ts"
import type { Stored } from "../support/audit.ts"
import { type SideName, sideNames } from "../support/sides.ts"

interface Tally {
  created: number
  createdSum: number
  read: number
  storedCharges: number
  storedSum: number
  events: number
  problemCount: number
  problems: ReadonlyArray<string>
}

const newTally = (): Tally => ({
  created: 0,
  createdSum: 0,
  read: 0,
  storedCharges: 0,
  storedSum: 0,
  events: 0,
  problemCount: 0,
  problems: [],
})

/**
 * Adds up what each side has answered and what was read back from its Redis: a charge that was answered with 201 must
 * be there with its amount and its event, and nothing else must.
 */
export class Proof {
  private readonly tallies: Readonly<Record<SideName, Tally>> = { corrente: newTally(), bare: newTally() }

  /** Adds a job's answers, each of which the load generator has checked by itself. */
  answered(side: SideName, kind: "create" | "read", result: LoadResult): void {
    const tally = this.tallies[side]
    if (kind === "create") {
      tally.created += result.answered
      tally.createdSum += result.amountSum
    } else {
      tally.read += result.answered
    }
    tally.problemCount += result.problemCount
    tally.problems = [...tally.problems, ...result.problems].slice(0, 3)
  }

  /** Adds what was read back. */
  stored(side: SideName, stored: Stored): void {
    const tally = this.tallies[side]
    tally.storedCharges += stored.charges
    tally.storedSum += stored.amountSum
    tally.events += stored.events
  }

  checks(): ReadonlyArray<Check> {
    return sideNames.flatMap((side) => checksOf(side, this.tallies[side]))
  }
}

const checksOf = (side: SideName, tally: Tally): ReadonlyArray<Check> => [
  {
    name: `${side}, charges`,
    isRight:
      tally.created > 0 &&
      tally.storedCharges === tally.created &&
      tally.events === tally.created &&
      tally.storedSum === tally.createdSum,
    detail:
      `${tally.created} answered 201 (sum ${tally.createdSum}), ` +
      `${tally.storedCharges} read back (sum ${tally.storedSum}), ${tally.events} events`,
  },
  {
    name: `${side}, answers`,
    isRight: tally.problemCount === 0 && tally.read > 0,
    detail:
      tally.problemCount === 0
        ? `all ${tally.created + tally.read} as expected, ${tally.read} of them reads`
        : `${tally.problemCount} problems: ${tally.problems.join("; ")}`,
  },
]
