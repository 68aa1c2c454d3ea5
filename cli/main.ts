import { Effect } from "effect"
import { runCorrente } from "./program.ts"

// `corrente events | head` closes our stdout: that is an end, not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

const surroundings = { environment: process.env, isTerminal: process.stdout.isTTY === true }

process.exitCode = await Effect.runPromise(runCorrente(process.argv.slice(2), surroundings))
