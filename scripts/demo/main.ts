// npm run demo [-- --quick] [-- --stay]: tells the whole story in the terminal, on its own service.
// --quick skips the pauses and speeds up payers and retries; --stay keeps everything running at the end.
import { parseArgs } from "node:util"
import { Cause, Deferred, Effect, Exit } from "effect"
import { tellStory } from "./story.ts"
import { makeTerminal } from "./terminal.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, stay: { type: "boolean", default: false } },
})
const terminal = makeTerminal(process.stdout, values)

/** Ctrl-C, SIGTERM and a closed terminal end the demo, which first stops everything it started. */
const stopAsked = Deferred.makeUnsafe<void>()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => Deferred.doneUnsafe(stopAsked, Effect.void))
}

const demo = Effect.gen(function* () {
  yield* tellStory(terminal, values.quick ? "quick" : "calm")
  if (values.stay) {
    terminal.say("Everything keeps running for you to look at, until Ctrl-C.")
    return yield* Deferred.await(stopAsked)
  }
  terminal.say("This service and its data are removed now. To start your own: npm start")
  yield* terminal.pause(1)
})

const program = Effect.raceFirst(Effect.as(demo, "told"), Effect.as(Deferred.await(stopAsked), "stopped"))

Effect.runFork(Effect.scoped(program)).addObserver((exit) => {
  if (Exit.isFailure(exit)) {
    const failure = Cause.findErrorOption(exit.cause)
    const reason = failure._tag === "Some" ? failure.value.message : Cause.pretty(exit.cause)
    process.stderr.write(`\nThe demo stopped: ${reason}\n`)
  } else if (exit.value === "stopped") {
    terminal.title("Stopped; nothing is left behind.")
  } else {
    terminal.title("The end.")
  }
  process.exit(Exit.isFailure(exit) ? 1 : 0)
})
