import { Effect, type Scope } from "effect"
import type { Piscina } from "piscina"

/** The idle thread ends after this. */
const idleMillis = 60_000
/** Requests come first: Linux counts niceness per thread. */
const niceIncrement = 10

/** A thread that runs the default function of a file, a job at a time. Its first job starts it; the scope ends it. */
export const openLowPriorityThread = <Job, Done>(
  filename: string,
  maxQueue: number,
): Effect.Effect<Piscina<Job, Done>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { Piscina } = await import("piscina")
      return new Piscina<Job, Done>({
        filename,
        maxQueue,
        niceIncrement,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: idleMillis,
      })
    }),
    (running) => Effect.promise(() => running.destroy()),
  )
