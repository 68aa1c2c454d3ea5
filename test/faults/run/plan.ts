import { Effect, Random } from "effect"
import type { Dice, FaultName } from "./kinds.ts"

/** A fault of a plan. */
export interface Planned {
  readonly name: FaultName
  readonly dice: Dice
}

/** How long a fault lasts, at least and at most, in ms. */
export interface Duration {
  readonly millisMin: number
  readonly millisMax: number
}

/**
 * Draws `count` of the faults by a seed: the same seed, names and durations give the same plan. All names come once before one comes
 * again.
 */
export const planOf = (
  seed: number,
  names: ReadonlyArray<FaultName>,
  count: number,
  { millisMin, millisMax }: Duration,
): ReadonlyArray<Planned> => {
  const draw = Effect.gen(function* () {
    const plan: Array<Planned> = []
    while (plan.length < count) {
      for (const name of (yield* Random.shuffle(names)).slice(0, count - plan.length)) {
        const dice = { pick: yield* Random.next, millis: yield* Random.nextIntBetween(millisMin, millisMax) }
        plan.push({ name, dice })
      }
    }
    return plan
  })
  return Effect.runSync(Random.withSeed(draw, seed))
}
