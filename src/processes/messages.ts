import { Option, Schema } from "effect"
import { Series } from "../scrape/series.ts"

/** Messages from a worker to its supervisor. */
const WorkerMessage = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("listening") }),
  /** The worker ends; `sentence` tells the user why. */
  Schema.Struct({ kind: Schema.Literal("failed"), sentence: Schema.String }),
  /** The worker is being scraped, and wants the metrics of all. */
  Schema.Struct({ kind: Schema.Literal("scrape") }),
  /** The worker's own metrics, which the supervisor had asked for. */
  Schema.Struct({ kind: Schema.Literal("report"), report: Schema.Array(Series) }),
])
export type WorkerMessage = typeof WorkerMessage.Type

/** Messages from the supervisor to a worker. */
export const SupervisorMessage = Schema.Union([
  /** Asks for the worker's own metrics. */
  Schema.Struct({ kind: Schema.Literal("report") }),
  /** The metrics of all workers, merged; `silent` of them did not answer in time. */
  Schema.Struct({ kind: Schema.Literal("scraped"), report: Schema.Array(Series), silent: Schema.Number }),
])
export type SupervisorMessage = typeof SupervisorMessage.Type

const decodeWorkers = Schema.decodeUnknownOption(WorkerMessage)
const decodeSupervisors = Schema.decodeUnknownOption(SupervisorMessage)

/** Decodes a worker's message; undefined if no worker of ours sends it. */
export const readMessage = (message: unknown): WorkerMessage | undefined =>
  Option.getOrUndefined(decodeWorkers(message))

/** Decodes a message of the supervisor; undefined if ours does not send it. */
export const readSupervisorMessage = (message: unknown): SupervisorMessage | undefined =>
  Option.getOrUndefined(decodeSupervisors(message))

/** Sends a message to the supervisor; calls `onSent` when it is sent or can no longer be. */
export const tellSupervisor = (message: WorkerMessage, onSent: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => onSent())
  else onSent()
}
