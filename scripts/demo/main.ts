// npm run demo [-- FLAGS]: tells a story in the terminal, on its own service. `--help` lists the flags.
import { Cause, Deferred, Effect, Exit } from "effect"
import { type Flags, readFlags, usage } from "./flags.ts"
import { tellPartnerStory } from "./partner/partnerStory.ts"
import { tellStory } from "./story.ts"
import { makeTerminal } from "./terminal.ts"
import { showAround } from "./visit/visit.ts"

const tell = Effect.fnUntraced(function* (flags: Flags) {
  const terminal = makeTerminal(process.stdout, flags)
  const pace = flags.quick ? "quick" : "calm"
  const visit = yield* flags.livePartner
    ? tellPartnerStory(terminal, pace)
    : tellStory(terminal, pace, flags.stay)
  if (flags.stay) {
    yield* terminal.step("Look around")
    return yield* showAround(terminal, visit)
  }
  terminal.say("This service and its data are removed now. To start your own: npm start")
  yield* terminal.pause(1)
})

const run = (flags: Flags): void => {
  /** Ctrl-C, SIGTERM, and a terminal or pipe that is closed end the demo, which first stops everything it started. */
  const stopAsked = Deferred.makeUnsafe<void>()
  const stop = () => Deferred.doneUnsafe(stopAsked, Effect.void)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
  // Writes fail once nobody reads them. An error that nobody hears would end this process alone, and leave the service running.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", stop)
  const stopped = Effect.as(Deferred.await(stopAsked), "Stopped; nothing is left behind.")
  const told = Effect.as(tell(flags), "The end.")
  Effect.runFork(Effect.scoped(Effect.raceFirst(told, stopped))).addObserver((exit) => {
    if (Exit.isFailure(exit)) {
      const failure = Cause.findErrorOption(exit.cause)
      const reason = failure._tag === "Some" ? failure.value.message : Cause.pretty(exit.cause)
      process.stderr.write(`\nThe demo stopped: ${reason}\n`)
    } else {
      makeTerminal(process.stdout, flags).title(exit.value)
    }
    process.exit(Exit.isFailure(exit) ? 1 : 0)
  })
}

const flags = readFlags(process.argv.slice(2))
if (flags === "help") {
  process.stdout.write(`${usage}\n`)
} else if ("problem" in flags) {
  process.stderr.write(`${flags.problem}\n\n${usage}\n`)
  process.exitCode = 2
} else {
  run(flags)
}
