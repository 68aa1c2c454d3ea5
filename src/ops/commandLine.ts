import { Effect } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { version } from "../processes/version.ts"
import { CliLive } from "./cliLive.ts"
import type { OpsFailure } from "./failure.ts"
import { commandsBelow, helpDocument, usageOf } from "./help.ts"
import { Output, printJson } from "./output.ts"
import { usageError } from "./usageError.ts"

/** Runs the command that `argv` names, and returns what the CLI module wants shown: help, or the version. */
const run = <Name extends string, Input, Shared, R>(
  root: Command.Command<Name, Input, Shared, OpsFailure, R>,
  argv: ReadonlyArray<string>,
) =>
  Effect.suspend(() => {
    const events: Array<CliOutput.Presenter.Event> = []
    const presenter: CliOutput.Presenter = { present: (event) => Effect.sync(() => events.push(event)) }
    return Command.runWith(root, { version })(argv).pipe(
      Effect.provideService(CliOutput.Presenter, presenter),
      Effect.provide(CliLive),
      Effect.as(events),
    )
  })

/** The help of the command at each path; none for a path that is no command. */
const helpDocsOf = <Name extends string, Input, Shared, R>(
  root: Command.Command<Name, Input, Shared, OpsFailure, R>,
  paths: ReadonlyArray<ReadonlyArray<string>>,
) =>
  Effect.map(
    Effect.forEach(paths, (path) =>
      Effect.catchIf(run(root, [...path, "--help"]), CliError.isCliError, () => Effect.succeed([])),
    ),
    (shown) => shown.flat().flatMap((event) => (event._tag === "Help" ? [event.helpDoc] : [])),
  )

/**
 * Runs the command of `root` that `argv` names; `help` may stand before or instead of one. Help and version go to
 * stdout in the {@link Output} style. A command line that cannot be read fails with 400 `validation_failed`, whose
 * `param` is the flag or word at fault.
 */
export const runCommandLine = <Name extends string, Input, Shared, R>(
  root: Command.Command<Name, Input, Shared, OpsFailure, R>,
  argv: ReadonlyArray<string>,
) =>
  Effect.gen(function* () {
    const style = yield* Output
    for (const event of yield* run(root, argv[0] === "help" ? [...argv.slice(1), "--help"] : argv)) {
      if (style === "text") yield* CliOutput.defaultPresenter.present(event)
      else if (event._tag === "Version") yield* printJson({ version: event.version })
      else {
        const docs = yield* helpDocsOf(root, commandsBelow(root, event.commandPath.slice(1)))
        yield* printJson(helpDocument(docs))
      }
    }
  }).pipe(
    Effect.catchIf(CliError.isCliError, (error) =>
      Effect.gen(function* () {
        const path = error._tag === "ShowHelp" ? error.commandPath.slice(1) : []
        const [fault] = error._tag === "ShowHelp" ? error.errors : [error]
        const [doc] = yield* helpDocsOf(root, [path])
        return yield* usageError(fault, {
          path,
          usage: doc === undefined ? root.name : usageOf(doc),
          commands: commandsBelow(root, path),
        })
      }),
    ),
  )
