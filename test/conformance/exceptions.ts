import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  type ExceptionChange,
  type ExceptionCommit,
  type ExceptionPage,
  ExceptionStore,
  type NewException,
  type StoredException,
} from "../../actors/ports/exceptionStore.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { freshId, unique } from "./fixtures.ts"

/** A document; the store keeps it as it is. */
export const documentOf = (id: string, state: string): string =>
  JSON.stringify({ id, state, note: `"quoted"\n${unique("text")} ã` })

/** An exception not yet written, by default of live and of a partition of its own. */
export const newException = (partition: number, overrides: Partial<NewException> = {}) =>
  Effect.map(freshId("exc_", partition), (id): NewException => {
    const fact = unique("payment_unknown:E")
    const about = { sellerId: undefined, account: undefined, document: documentOf(id, "open") }
    return { id, fact, kind: "payment_unknown", mode: "live", ...about, ...overrides }
  })

/** One not yet written, in the partition of another id. */
export const newExceptionBeside = (id: string, overrides: Partial<NewException> = {}) =>
  newException(partitionOfId(id) ?? 0, overrides)

/** An exception as it is once it is recorded. */
export const opened = (exception: NewException): StoredException => ({
  ...exception,
  ...{ state: "open", version: 1, pending: "" },
})

/** A written exception. */
export const openException = (partition: number, overrides: Partial<NewException> = {}) =>
  Effect.gen(function* () {
    const exception = yield* newException(partition, overrides)
    const { id } = exception
    assert.deepStrictEqual(yield* (yield* ExceptionStore).open(exception), { kind: "opened", id })
    return opened(exception)
  })

/** A change of an exception as read, by default its end. */
export const changeOf = (
  exception: StoredException,
  overrides: Partial<ExceptionChange> = {},
): ExceptionChange => {
  const to = overrides.to ?? "resolved"
  return { exception, to, document: documentOf(exception.id, to), pending: "", ...overrides }
}

/** The exception after a change. */
export const changed = ({ exception, to, document, pending }: ExceptionChange): StoredException => ({
  ...exception,
  ...{ state: to, version: exception.version + 1, document, pending },
})

export const commit = (change: ExceptionChange, overrides: Partial<ExceptionCommit> = {}) =>
  Effect.flatMap(ExceptionStore, (store) =>
    store.commit({ change, timers: [], timersDone: [], ...overrides }),
  )

/** Applies a change; returns the exception as it must be afterwards. */
export const apply = (change: ExceptionChange) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* commit(change), { kind: "applied" })
    return changed(change)
  })

export const load = (id: string) => Effect.flatMap(ExceptionStore, (store) => store.load(id))

/** The ids of a page. */
export const idsOf = (page: Partial<ExceptionPage> = {}) =>
  Effect.gen(function* () {
    const all = { state: undefined, kind: undefined, beforeId: undefined, limit: 100 }
    return (yield* (yield* ExceptionStore).list({ ...all, ...page })).map(({ id }) => id)
  })
