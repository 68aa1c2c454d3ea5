import { Clock, Console, Effect, Logger, Result } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { type ApiError, renderError } from "../../schema/errors.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import type { Environment } from "../env/settingReader.ts"
import { OpsEnvironment } from "./answer.ts"
import { runCommandLine } from "./commandLine.ts"
import { ops } from "./commands/index.ts"
import { toEnvelopeErrors } from "./failure.ts"
import { hasColours, Output, outputStyleOf, paintOf, printJson, TextPaint } from "./output.ts"
import { fields, note, renderBlocks } from "./text/blocks.ts"
import { inert } from "./text/values.ts"

/** A failure in words, without colours: stderr may be another place than the terminal. */
export const errorText = ({ message, code, param, details }: ApiError, requestId: string): string =>
  renderBlocks(
    [
      note(`Error: ${inert(message)}`),
      fields(
        ["Code", code],
        ...(param === undefined ? [] : [["At", param] as const]),
        ...Object.entries(details ?? {}),
        ["Request", requestId],
      ),
    ],
    (_style, text) => text,
  )

/** Where a command line runs: its environment variables, and whether its stdout is a terminal. */
export interface OpsSurroundings {
  readonly environment: Environment
  readonly isTerminal: boolean
}

/**
 * Runs a command line and returns its exit code. Prints one JSON document on stdout, on failure as well; everything else
 * goes to stderr. For a person, text takes the document's place, and failures are words on stderr.
 */
export const runOpsProgram = (
  argv: ReadonlyArray<string>,
  { environment, isTerminal }: OpsSurroundings,
): Effect.Effect<0 | 1> => {
  const canColor = hasColours(environment, isTerminal)
  return Effect.gen(function* () {
    const identifiers = yield* Identifiers
    const requestId = identifiers.id("req_", 0, yield* Clock.currentTimeMillis)
    const result = yield* Effect.result(runCommandLine(ops, argv).pipe(toEnvelopeErrors(requestId)))
    if (Result.isSuccess(result)) return 0
    if ((yield* Output) === "text") yield* Console.error(errorText(result.failure, requestId))
    else yield* printJson(JSON.parse(renderError(result.failure, requestId)))
    return 1
  }).pipe(
    Effect.provide(IdentifiersLive),
    Effect.provideService(OpsEnvironment, environment),
    Effect.provideService(Output, outputStyleOf(argv, isTerminal)),
    Effect.provideService(TextPaint, paintOf(canColor)),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor,
      canAnimate: false,
      canPrompt: false,
    }),
    Effect.provideService(Logger.LogToStderr, true),
  )
}
