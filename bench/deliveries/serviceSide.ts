import * as keys from "../../src/store/keys.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"
import type { EndpointSet } from "./endpoints.ts"
import { loadOwingFunctions } from "./functions.ts"
import { type DeliverySide, momentFor, numbersOf, retryScheduleSeconds, settledMillis } from "./side.ts"

/** Starts the service's Redis and creates its seller. `origins` are those of the receivers. */
export const startServiceBackend = async (
  origins: ReadonlyArray<string>,
  caFile: string,
): Promise<SideBackend> => {
  const backend = await startSideBackend("corrente", {
    WEBHOOK_ALLOW_DESTINATIONS: origins.join(","),
    WEBHOOK_CA_FILE: caFile,
    RETRY_SCHEDULE_SECONDS: retryScheduleSeconds,
  })
  await loadOwingFunctions(backend.redis.client)
  return backend
}

/** Starts the service. The backend's owner stops the backend. */
export const startServiceSide = async (
  backend: SideBackend,
  nodeArguments: ReadonlyArray<string> = [],
): Promise<DeliverySide & { readonly port: number }> => {
  const { client } = backend.redis
  const server = await backend.startServer(nodeArguments)
  const idsOf = ({ endpointIds }: EndpointSet) => endpointIds.flat()
  const countOwed = async (set: EndpointSet, toMillis: number): Promise<number> => {
    const counts = idsOf(set).map((id) => ["zcount", keys.queueKey(id), "-inf", toMillis])
    return numbersOf(await client.pipeline(counts).exec()).reduce((sum, count) => sum + count, 0)
  }
  return {
    name: "corrente",
    pid: server.pid,
    port: server.port,
    stop: server.stop,
    redis: backend.redis,
    queue: "",
    unsettled: (set) => countOwed(set, Date.now() + settledMillis),
    makeDue: async (set) => {
      const atMillis = momentFor(await countOwed(set, Number.POSITIVE_INFINITY))
      for (const id of idsOf(set)) {
        const due = keys.dueKey(keys.tagOfDestination(id))
        await client.fcall("corrente_bench_due_at", 2, keys.queueKey(id), due, id, atMillis)
      }
      return atMillis
    },
    forget: async () => {},
    garbage: ["attempt:", "attempts:", "delivery:", "events:", "stats:", "queue:", "due:"],
  }
}
