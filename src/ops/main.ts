import { Effect } from "effect"
import { runOpsProgram } from "./program.ts"

const surroundings = { environment: process.env, isTerminal: process.stdout.isTTY }

process.exitCode = await Effect.runPromise(runOpsProgram(process.argv.slice(2), surroundings))
