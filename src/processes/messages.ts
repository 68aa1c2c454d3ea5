import { Option, Schema } from "effect"

/** What a worker tells its supervisor. */
export const WorkerMessage = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("listening") }),
  /** It ends because of this, which is told in words for a user. */
  Schema.Struct({ kind: Schema.Literal("failed"), sentence: Schema.String }),
])
export type WorkerMessage = typeof WorkerMessage.Type

const decode = Schema.decodeUnknownOption(WorkerMessage)

/** A message as it came; undefined for one that no worker of ours sends. */
export const readMessage = (message: unknown): WorkerMessage | undefined =>
  Option.getOrUndefined(decode(message))

/** Tells the supervisor, and calls back when it is told or cannot be any more. */
export const tellSupervisor = (message: WorkerMessage, onSent: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => onSent())
  else onSent()
}
