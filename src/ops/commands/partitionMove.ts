import { Effect } from "effect"
import { Command } from "effect/cli"
import { validationFailed } from "../../../schema/errors.ts"
import { answer } from "../answer.ts"
import { optionalFlag, switchFlag, textFlag, word } from "../parameters.ts"
import { movePartition, undoMove } from "../partitions/move.ts"
import { fields, note } from "../text/blocks.ts"

/** A partition of millions of keys takes minutes. */
const moveTimeoutMillis = 60 * 60 * 1_000

const run = Effect.fnUntraced(function* (words: {
  readonly partition: string
  readonly to: string | undefined
  readonly undo: boolean
}) {
  const { partition, to, undo } = words
  if (undo && to === undefined) return yield* undoMove({ partition })
  if (undo || to === undefined) {
    return yield* validationFailed("to", "Say where to: --to HOST:PORT of a primary, or --undo without it.")
  }
  return yield* movePartition({ partition, to })
}, Effect.scoped)

const sentenceOf = (document: Effect.Success<ReturnType<typeof run>>): string => {
  const partition = `Partition ${document.partition} (slot ${document.slot})`
  if ("at" in document) {
    if (document.moved) return `${partition} had moved to ${document.at} already, and takes writes again.`
    return document.undone
      ? `${partition} stays at ${document.at}, and takes writes again.`
      : `${partition} is at ${document.at}; nothing was under way.`
  }
  return document.moved
    ? `${partition} is at ${document.to} now.`
    : `${partition} is at ${document.to} already.`
}

export const partitionMove = Command.make(
  "move",
  {
    partition: word("partition", "PARTITION", "The partition's number, from 0."),
    to: optionalFlag(textFlag("to", "HOST:PORT", "The primary that it moves to.")),
    undo: switchFlag("undo", "Take back a move that was broken off; without --to"),
  },
  answer(
    run,
    (document) => [
      note(sentenceOf(document)),
      ...("to" in document && document.moved
        ? [fields(["Keys", document.keys], ["Refused writes for", `${document.refused_ms} ms`])]
        : []),
    ],
    moveTimeoutMillis,
  ),
).pipe(
  Command.withShortDescription("Move a partition to another primary of the cluster."),
  Command.withDescription(
    "Move a partition to another primary of a Redis Cluster while the service runs. Its sellers' writes get 503 with Retry-After meanwhile, about a second for some thousands of keys. If the command is broken off, run it again to go on, or with --undo.",
  ),
)
