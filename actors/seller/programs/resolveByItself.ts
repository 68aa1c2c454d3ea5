import { Clock, Effect } from "effect"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { decideResolved } from "../decisions/exceptionDocument.ts"

/**
 * Makes the program that resolves the exception of a fact because the acquirer's later answer has settled it, unless an operator's act
 * on it awaits or is under way (docs/contract/exceptions.md#kinds). `idOfPartition` is any id of its partition.
 */
export const makeResolveByItself = Effect.map(ExceptionStore, (exceptions) =>
  Effect.fnUntraced(function* (idOfPartition: string, fact: string, reason: string) {
    const exception = yield* exceptions.findFact(idOfPartition, fact)
    if (exception?.state !== "open" || exception.pending !== "") return
    const time = { nowMillis: yield* Clock.currentTimeMillis, offsetMillis: 0 }
    const resolution = { act: "dismiss", reason, operatorIds: [] } as const
    const change = decideResolved(exception, resolution, time)
    // Where an operator was faster, theirs stands.
    yield* exceptions.commit({ change, timers: [], timersDone: [] })
  }),
)
