import { Option, Schema } from "effect"

/** Messages from a worker to its supervisor. */
export const WorkerMessage = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("listening") }),
  /** The worker ends; `sentence` tells the user why. */
  Schema.Struct({ kind: Schema.Literal("failed"), sentence: Schema.String }),
])
export type WorkerMessage = typeof WorkerMessage.Type

const decode = Schema.decodeUnknownOption(WorkerMessage)

/** Decodes a message; undefined if no worker of ours sends it. */
export const readMessage = (message: unknown): WorkerMessage | undefined =>
  Option.getOrUndefined(decode(message))

/** Sends a message to the supervisor; calls `onSent` when it is sent or can no longer be. */
export const tellSupervisor = (message: WorkerMessage, onSent: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => onSent())
  else onSent()
}
