import type { ExceptionChange, ExceptionEffect, NewException } from "../../../actors/ports/exceptionStore.ts"
import type { ExceptionState } from "../../../schema/resources/exception.ts"
import * as keys from "../keys.ts"

const keysOf = ({ id, kind, mode }: NewException, from: ExceptionState, to: ExceptionState) => {
  const tag = keys.tagOf(id)
  return {
    exception: keys.exceptionKey(id),
    exception_facts: keys.exceptionFactsKey(tag),
    exception_old_index: keys.exceptionsKey(tag, from),
    exception_new_index: keys.exceptionsKey(tag, to),
    exception_old_kind_index: keys.exceptionsOfKindKey(tag, from, kind, mode),
    exception_new_kind_index: keys.exceptionsOfKindKey(tag, to, kind, mode),
  }
}

/** The keys of an exception that a commit records or changes, as functions name them. */
export const exceptionKeys = (effect: ExceptionEffect) =>
  effect.kind === "open"
    ? keysOf(effect.exception, "open", "open")
    : keysOf(effect.change.exception, effect.change.exception.state, effect.change.to)

const identity = ({ fact, kind, mode, sellerId, account }: NewException) => [
  ...[fact, kind, mode, sellerId ?? "", account ?? ""],
]

/** The arguments of an exception that a commit changes, in the order of `exceptions/prelude.lua`. */
export const changeArguments = ({ exception, to, document, pending }: ExceptionChange) => [
  ...["change", exception.id, to, document, ...identity(exception), exception.version, pending],
]

/** The arguments of what a commit does to an exception, in the order of `exceptions/prelude.lua`. */
export const exceptionArguments = (effect: ExceptionEffect): ReadonlyArray<string | number> =>
  effect.kind === "open"
    ? ["open", effect.exception.id, "open", effect.exception.document, ...identity(effect.exception), 1, ""]
    : changeArguments(effect.change)

/**
 * What the commit of a resource does to an exception of its partition: its keys and arguments, or none. Throws if the exception
 * lies in another partition, where one commit cannot reach both.
 */
export const exceptionBeside = (resourceId: string, effect: ExceptionEffect | undefined) => {
  if (effect === undefined) return { keys: {}, args: [] }
  const { id } = effect.kind === "open" ? effect.exception : effect.change.exception
  if (keys.partitionOf(id) !== keys.partitionOf(resourceId)) {
    throw new RangeError(`${id} is not in the partition of ${resourceId}`)
  }
  return { keys: exceptionKeys(effect), args: exceptionArguments(effect) }
}

/** The names of the keys above, in the order in which functions declare them. */
export const exceptionKeyNames = [
  "exception",
  "exception_facts",
  "exception_old_index",
  "exception_new_index",
  "exception_old_kind_index",
  "exception_new_kind_index",
] as const

/** The same for functions that mostly do nothing to an exception. */
export const optionalExceptionKeyNames = [
  "exception?",
  "exception_facts?",
  "exception_old_index?",
  "exception_new_index?",
  "exception_old_kind_index?",
  "exception_new_kind_index?",
] as const
