import { Cause, ConfigProvider, Console, Effect, Result } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { CliLive } from "../src/ops/cliLive.ts"
import { commandsBelow } from "../src/ops/help.ts"
import { inert, inertLines } from "../src/ops/text/values.ts"
import { version } from "../src/processes/version.ts"
import { corrente } from "./commands/index.ts"
import { type CliFailure, exitCodes, usageFailure } from "./failure.ts"
import { makeOutput, Output, type Surroundings } from "./output.ts"

const commandsText = (path: ReadonlyArray<string>): string =>
  commandsBelow(corrente, path)
    .map((words) => words.join(" "))
    .join(", ")

/** The library's text, with its lists of choices as ours. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").replaceAll('" | "', '", "')

/** What is wrong with a command line, in one line. */
const failureOfUsage = (error: CliError.CliError): CliFailure => {
  const path = error._tag === "ShowHelp" ? error.commandPath.slice(1) : []
  const fault = error._tag === "ShowHelp" ? error.errors[0] : error
  const help = `See corrente ${[...path, "--help"].join(" ")}.`
  if (fault === undefined) return usageFailure("command", `Name a command: ${commandsText(path)}. ${help}`)
  switch (fault._tag) {
    case "UnknownSubcommand":
      return usageFailure(
        "command",
        `There is no command ${fault.subcommand}. There are ${commandsText([])}.`,
      )
    case "MissingArgument":
      return usageFailure(fault.argument, `${fault.argument.toUpperCase()} is missing. ${help}`)
    case "MissingOption":
      return usageFailure(fault.option, `--${fault.option} is missing. ${help}`)
    case "InvalidValue":
      return usageFailure(fault.option, `${oneLine(fault.message)}. ${help}`)
    default:
      return usageFailure(undefined, `${oneLine(fault.message)}. ${help}`)
  }
}

/** Shows help that was asked for, and the version; errors are told by {@link tellFailure}. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    const isAskedFor = event._tag === "Version" || (event._tag === "Help" && event.reason === "Requested")
    return isAskedFor ? CliOutput.defaultPresenter.present(event) : Effect.void
  },
}

const tellFailure = Effect.fnUntraced(function* (failure: CliFailure, exitCode: number) {
  const { style, paint, tell } = yield* Output
  const { code, message, param, requestId, details } = failure
  const error = { code, message, param, request_id: requestId, details }
  if (style === "json") return yield* tell({ json: { error, exit_code: exitCode }, text: undefined })
  const request = requestId === undefined ? "" : paint("dim", inert(` (${code}, ${requestId})`))
  yield* Console.error(`${paint(["red", "bold"], "Error:")} ${inert(message)}${request}`)
})

const runCommand = (argv: ReadonlyArray<string>) =>
  Command.runWith(corrente, { version })(argv[0] === "help" ? [...argv.slice(1), "--help"] : argv).pipe(
    Effect.catchIf(CliError.isCliError, (error) => Effect.fail(failureOfUsage(error))),
  )

const reportBug = (cause: Cause.Cause<never>) =>
  Effect.as(
    Console.error(`This is a bug of corrente:\n${inertLines(Cause.pretty(cause))}`),
    exitCodes.refused,
  )

/** Runs a command line and returns its exit code (docs/cli.md#exit-codes). */
export const runCorrente = (
  argv: ReadonlyArray<string>,
  surroundings: Surroundings,
): Effect.Effect<number> => {
  const output = makeOutput(argv, surroundings)
  return Effect.gen(function* () {
    const result = yield* Effect.result(runCommand(argv))
    if (Result.isSuccess(result)) return 0
    const exitCode = exitCodes[result.failure.kind]
    yield* tellFailure(result.failure, exitCode)
    return exitCode
  }).pipe(
    Effect.catchCause(reportBug),
    Effect.provideService(Output, output),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliOutput.Formatter, CliOutput.defaultFormatter({ colors: output.hasColours })),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnvRecord({ ...surroundings.environment }),
    ),
    Effect.provide(CliLive),
  )
}
