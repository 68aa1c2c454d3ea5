import { Effect } from "effect"
import { runOpsProgram } from "./program.ts"

// A reader that has had enough closes its end, such as `head`: no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit(0)
})

const surroundings = { environment: process.env, isTerminal: process.stdout.isTTY }

process.exitCode = await Effect.runPromise(runOpsProgram(process.argv.slice(2), surroundings))
