/** The load generator: a separate process that runs one job after the other, as its parent sends them. */
import { Connection } from "./connection.ts"
import type { LoadJob, LoadResult } from "./job.ts"
import { runClosedLoop, runOpenLoop } from "./loops.ts"
import { Recorder } from "./recorder.ts"
import { serveParent } from "./serveParent.ts"
import { makeWorkload } from "./workload.ts"

/** Runs a job to its end. */
const runJob = async (job: LoadJob): Promise<LoadResult> => {
  const workload = makeWorkload(job.workload, job)
  const recorder = new Recorder(job.processes)
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, slot) => Connection.open(job.port, slot)),
  )
  try {
    const parts = { connections, workload, recorder }
    if (job.ratePerSecond === undefined) await runClosedLoop(job, parts)
    else await runOpenLoop(job, job.ratePerSecond, parts)
  } finally {
    for (const connection of connections) connection.close()
  }
  return recorder.result(workload.summary())
}

serveParent(runJob)
