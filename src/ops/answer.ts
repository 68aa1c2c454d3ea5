import { Context, Effect } from "effect"
import { serviceUnavailable } from "../../schema/errors.ts"
import type { Environment } from "../env/settingReader.ts"
import type { OpsFailure } from "./failure.ts"
import { printDocument, type View } from "./output.ts"
import { OpsLive, type OpsServices } from "./services.ts"

/** The environment variables that commands read their settings from. */
export class OpsEnvironment extends Context.Reference<Environment>("corrente/ops/OpsEnvironment", {
  defaultValue: () => process.env,
}) {}

/** Exceeds the deadlines inside every command, so it ends only a wait for a Redis that accepts connections and is silent. */
const defaultTimeoutMillis = 75_000

const timedOut = serviceUnavailable(
  "Redis did not answer in time. The change may or may not have been made: check before you try again.",
)

/** A command's handler that prints by itself what `run` reads, for as long as that takes. */
export const streamed =
  <Input>(run: (input: Input) => Effect.Effect<void, OpsFailure, OpsServices>) =>
  (input: Input): Effect.Effect<void, OpsFailure> =>
    Effect.flatMap(OpsEnvironment, (environment) => Effect.provide(run(input), OpsLive(environment)))

/**
 * A command's handler: runs `run` on the Redis of the settings and prints the document it returns, to people by `view`. Fails
 * with 503 `service_unavailable` after `timeoutMillis`.
 */
export const answer =
  <Input, Document>(
    run: (input: Input) => Effect.Effect<Document, OpsFailure, OpsServices>,
    view: View<Document>,
    timeoutMillis: number = defaultTimeoutMillis,
  ) =>
  (input: Input): Effect.Effect<void, OpsFailure> =>
    Effect.flatMap(OpsEnvironment, (environment) => Effect.provide(run(input), OpsLive(environment))).pipe(
      Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.fail(timedOut) }),
      Effect.flatMap((document) => printDocument(document, view)),
    )
