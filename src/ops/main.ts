import { Clock, Effect, Logger, Result } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { ApiError, renderError, serviceUnavailable } from "../../schema/errors.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import { findCommand, readArguments } from "./arguments.ts"
import { commands } from "./commands/index.ts"
import { toEnvelopeErrors } from "./failure.ts"
import { helpOf } from "./help.ts"
import { OpsLive } from "./services.ts"

/** Longer than the longest command may take by its own deadlines; for a Redis that takes connections and says nothing. */
const commandTimeoutMillis = 75_000

const tookTooLong = () =>
  serviceUnavailable(
    "Redis did not answer in time. A change may have been made or not: look before asking again.",
  )

const helpWords = new Set(["help", "--help", "-h"])

/** Runs the command that a command line names; its answer is JSON-ready. */
const runCommand = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  if (helpWords.has(argv[0] ?? "")) return helpOf(commands)
  const found = findCommand(commands, argv)
  if (found instanceof ApiError) return yield* found
  const { command, rest } = found
  const values = readArguments(command, rest)
  if (values instanceof ApiError) return yield* values
  return yield* command.run(values).pipe(
    Effect.provide(OpsLive(process.env)),
    Effect.timeoutOrElse({
      duration: command.timeoutMillis ?? commandTimeoutMillis,
      orElse: () => Effect.fail(tookTooLong()),
    }),
  )
})

/** One JSON document on stdout, whatever happens; all else goes to stderr (decisions 6). */
const main = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const requestId = identifiers.id("req_", 0, yield* Clock.currentTimeMillis)
  const command = runCommand(process.argv.slice(2)).pipe(toEnvelopeErrors(requestId))
  const result = yield* Effect.result(command)
  if (Result.isFailure(result)) process.exitCode = 1
  const document = Result.isSuccess(result)
    ? JSON.stringify(result.success)
    : renderError(result.failure, requestId)
  process.stdout.write(`${document}\n`)
}).pipe(Effect.provide(IdentifiersLive), Effect.provideService(Logger.LogToStderr, true))

await Effect.runPromise(main)
