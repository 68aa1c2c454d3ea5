/**
 * Loaded before the service (`node --import`) to measure memory: actors leave after BENCH_ACTOR_IDLE_MILLIS instead of
 * a minute, and SIGUSR2 collects garbage (with `--expose-gc`).
 */
import { limits } from "../../schema/limits.ts"

const idleMillis = Number(process.env.BENCH_ACTOR_IDLE_MILLIS)
// The service has no setting for this limit. Modules that read it load after this one.
if (idleMillis > 0) Object.assign(limits, { actorIdleMillis: idleMillis })

// "Last resort" is what V8 does by itself some 16 s after a process becomes idle: it returns freed pages.
process.on("SIGUSR2", () => globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" }))
