import { Clock, Effect, Logger, Result } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { renderError } from "../../schema/errors.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import type { Environment } from "../env/settingReader.ts"
import { OpsEnvironment } from "./answer.ts"
import { runCommandLine } from "./commandLine.ts"
import { ops } from "./commands/index.ts"
import { toEnvelopeErrors } from "./failure.ts"
import { Output, outputStyleOf, printDocument } from "./output.ts"

/** Where a command line runs: its environment variables, and whether its stdout is a terminal. */
export interface OpsSurroundings {
  readonly environment: Environment
  readonly isTerminal: boolean
}

/**
 * Runs a command line and returns its exit code. Prints one JSON document on stdout, on failure as well; everything else
 * goes to stderr.
 */
export const runOpsProgram = (
  argv: ReadonlyArray<string>,
  { environment, isTerminal }: OpsSurroundings,
): Effect.Effect<0 | 1> =>
  Effect.gen(function* () {
    const identifiers = yield* Identifiers
    const requestId = identifiers.id("req_", 0, yield* Clock.currentTimeMillis)
    const result = yield* Effect.result(runCommandLine(ops, argv).pipe(toEnvelopeErrors(requestId)))
    if (Result.isSuccess(result)) return 0
    yield* printDocument(JSON.parse(renderError(result.failure, requestId)))
    return 1
  }).pipe(
    Effect.provide(IdentifiersLive),
    Effect.provideService(OpsEnvironment, environment),
    Effect.provideService(Output, outputStyleOf(argv, isTerminal)),
    Effect.provideService(Logger.LogToStderr, true),
  )
