import type { LoadResult } from "../load/job.ts"
import type { Check } from "../report/result.ts"
import type { Stored } from "../support/audit.ts"
import type { SideName } from "../support/sides.ts"

interface Tally {
  answered: number
  created: number
  createdSum: number
  storedCharges: number
  storedSum: number
  events: number
  problemCount: number
  problems: ReadonlyArray<string>
}

const newTally = (): Tally => ({
  answered: 0,
  created: 0,
  createdSum: 0,
  storedCharges: 0,
  storedSum: 0,
  events: 0,
  problemCount: 0,
  problems: [],
})

/**
 * Adds up what each side has acknowledged and what was read back from its Redis: a charge answered with 201 must be
 * there with its amount and its event, and nothing else may.
 */
export class Proof {
  readonly #tallies: ReadonlyMap<SideName, Tally>

  constructor(sides: ReadonlyArray<SideName>) {
    this.#tallies = new Map(sides.map((side) => [side, newTally()]))
  }

  /** Adds a job's responses, each already checked by the load generator. */
  answered(
    side: SideName,
    result: Pick<LoadResult, "answered" | "created" | "createdSum" | "problemCount" | "problems">,
  ): void {
    const tally = this.#tallyOf(side)
    tally.answered += result.answered
    tally.created += result.created
    tally.createdSum += result.createdSum
    tally.problemCount += result.problemCount
    tally.problems = [...tally.problems, ...result.problems].slice(0, 3)
  }

  /** Adds what was read back. */
  stored(side: SideName, stored: Stored): void {
    const tally = this.#tallyOf(side)
    tally.storedCharges += stored.charges
    tally.storedSum += stored.amountSum
    tally.events += stored.events
  }

  /** Two per side. */
  checks(): ReadonlyArray<Check> {
    return [...this.#tallies].flatMap(([side, tally]) => checksOf(side, tally))
  }

  #tallyOf(side: SideName): Tally {
    const tally = this.#tallies.get(side)
    if (tally === undefined) throw new Error(`${side} is not a side of this run`)
    return tally
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
    isRight: tally.problemCount === 0 && tally.answered > 0,
    detail:
      tally.problemCount === 0
        ? `all ${tally.answered} as expected, ${tally.answered - tally.created} of them about existing charges`
        : `${tally.problemCount} problems: ${tally.problems.join("; ")}`,
  },
]
