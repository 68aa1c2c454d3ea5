import { Effect } from "effect"

/** The first thing found of several values, asked for one after the other; undefined if none is found. */
export const firstFound = Effect.fnUntraced(function* <A, E>(
  values: ReadonlyArray<string>,
  find: (value: string) => Effect.Effect<A | undefined, E>,
) {
  for (const value of values) {
    const found = yield* find(value)
    if (found !== undefined) return found
  }
  return undefined
})
