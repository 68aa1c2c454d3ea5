import { type Mode, modes } from "../../../schema/ids.ts"
import {
  type ExceptionKind,
  type ExceptionState,
  exceptionKinds,
  exceptionStates,
} from "../../../schema/resources/exception.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf } from "../tags.ts"

/** Hash: an exception. */
export const exceptionKey = (id: string): string => `exception:${tagOf(id)}:${id}`

/** Hash: fact -> the exception of it, and `credited:<exception>` -> `<seller>:<mode>:<event>:<movement>`, entries; for ever. */
export const exceptionFactsKey = (tag: string): string => `exception-facts:${tag}`

/** Sorted set, all scores 0: a partition's exceptions in a state, sorted by age. Operators list them. */
export const exceptionsKey = (tag: string, state: ExceptionState): string => `exceptions:${tag}:${state}`

/** Sorted set, all scores 0: those of one kind and mode. */
export const exceptionsOfKindKey = (
  tag: string,
  state: ExceptionState,
  kind: ExceptionKind,
  mode: Mode,
): string => `exceptions:${tag}:${state}:${kind}:${mode}`

/** The key families of exceptions. */
export const exceptionFamilies: KeyFamilies = {
  ofPartition: (partition, whose) => {
    const tag = partitionTag(partition)
    return [
      family("exception", patternOf("exc_", partition, exceptionKey), "hash", `one exception of ${whose}`),
      family(
        "exception facts",
        exceptionFactsKey(tag),
        "hash",
        `what is recorded as an exception of ${whose}, and which credits its sellers got`,
      ),
      ...exceptionStates.flatMap((state) => [
        family(
          "exceptions",
          exceptionsKey(tag, state),
          "set by id",
          `ids of the ${state} exceptions of ${whose}`,
        ),
        ...exceptionKinds.flatMap((kind) =>
          modes.map((mode) =>
            family(
              "exceptions",
              exceptionsOfKindKey(tag, state, kind, mode),
              "set by id",
              `ids of the ${state} ${mode} exceptions of ${whose} of kind ${kind}`,
            ),
          ),
        ),
      ]),
    ]
  },
}
