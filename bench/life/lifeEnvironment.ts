import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadBareQueue } from "../deliveries/functions.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { LifeReceiverAnswer, LifeReceiverRequest } from "../load/lifeProtocol.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { dataRoot } from "../support/redisServer.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

/** A contender that is not running yet, with the secret that signs its endpoint's deliveries. */
export interface LifeSide extends SideBackend {
  readonly name: "corrente" | "bare"
  readonly endpointSecret: string
}

/** What all contenders share. */
export interface LifeEnvironment {
  readonly load: Worker<LoadJob, LoadResult>
  readonly receiver: Worker<LifeReceiverRequest, LifeReceiverAnswer>
  /** Sets up a contender; its seller's endpoint is the receiver, unless `hasEndpoint` is false. */
  readonly makeSide: (
    name: "corrente" | "bare",
    simulatorDelayMillis: number,
    hasEndpoint?: boolean,
  ) => Promise<LifeSide>
  /** Registers one more endpoint at the receiver for a side's seller. */
  readonly addEndpoint: (side: Pick<LifeSide, "ops" | "sellerId">) => Promise<Endpoint>
}

/** What `ops endpoint create` prints. */
export interface Endpoint {
  readonly id: string
  readonly secret: string
}

const queue = "life"

/** Runs `body` in an environment, and stops its workers afterwards. */
export const withLifeEnvironment = async <A>(
  body: (environment: LifeEnvironment) => Promise<A>,
): Promise<A> => {
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  const receiver = startWorker<LifeReceiverRequest, LifeReceiverAnswer>(
    new URL("../load/lifeReceiver.ts", import.meta.url),
  )
  try {
    const { listening } = await receiver.ask({ kind: "listen" })
    if (listening === undefined) throw new Error("the receiver did not start")
    const { url, origin, caFile, secret } = listening
    const addEndpoint: LifeEnvironment["addEndpoint"] = async ({ ops, sellerId }) =>
      (await ops([
        ...["endpoint", "create", "--seller", sellerId, "--mode", "test"],
        ...["--url", url, "--events", "transaction.paid"],
      ])) as Endpoint
    const makeSide: LifeEnvironment["makeSide"] = async (name, simulatorDelayMillis, hasEndpoint = true) => {
      const endpointsFile = join(dataRoot, "life-endpoints.json")
      const backend = await startSideBackend(name, {
        SIMULATOR_DELAY_MS: String(simulatorDelayMillis),
        WEBHOOK_ALLOW_DESTINATIONS: origin,
        WEBHOOK_CA_FILE: caFile,
        ...(name === "bare"
          ? { ENDPOINTS_FILE: endpointsFile, QUEUE: queue, RETRY_SCHEDULE_SECONDS: "60,300,1800,7200,43200" }
          : {}),
      })
      try {
        if (name === "bare") {
          writeFileSync(endpointsFile, JSON.stringify([{ url, secret }]))
          await loadBareQueue(backend.redis.client)
          return { ...backend, name, endpointSecret: secret }
        }
        const endpointSecret = hasEndpoint ? (await addEndpoint(backend)).secret : secret
        return { ...backend, name, endpointSecret }
      } catch (error) {
        await backend.stop()
        throw error
      }
    }
    return await body({ load, receiver, makeSide, addEndpoint })
  } finally {
    await Promise.all([load.stop(), receiver.stop()])
  }
}
