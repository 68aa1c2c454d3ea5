import { Clock, Effect, Logger, Result } from "effect"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { renderError } from "../../schema/errors.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import { runCommandLine } from "./commandLine.ts"
import { ops } from "./commands/index.ts"
import { toEnvelopeErrors } from "./failure.ts"
import { Output, outputStyleOf, printDocument } from "./output.ts"

const argv = process.argv.slice(2)

/** Prints one JSON document on stdout, on failure as well; everything else goes to stderr. */
const main = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const requestId = identifiers.id("req_", 0, yield* Clock.currentTimeMillis)
  const result = yield* Effect.result(runCommandLine(ops, argv).pipe(toEnvelopeErrors(requestId)))
  if (Result.isSuccess(result)) return
  process.exitCode = 1
  yield* printDocument(JSON.parse(renderError(result.failure, requestId)))
}).pipe(
  Effect.provide(IdentifiersLive),
  Effect.provideService(Output, outputStyleOf(argv, process.stdout.isTTY)),
  Effect.provideService(Logger.LogToStderr, true),
)

await Effect.runPromise(main)
