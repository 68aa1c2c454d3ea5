import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadBareQueue } from "../deliveries/functions.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { LifeReceiverAnswer, LifeReceiverRequest } from "../load/lifeProtocol.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { dataRoot } from "../support/redisServer.ts"
import { type SideGround, startSideGround } from "../support/sides.ts"

/** A contender that is stopped, with what tells its endpoint's deliveries. */
export interface LifeSide extends SideGround {
  readonly name: "corrente" | "bare"
  readonly endpointSecret: string
}

/** What all contenders share. */
export interface LifeStand {
  readonly load: Worker<LoadJob, LoadResult>
  readonly receiver: Worker<LifeReceiverRequest, LifeReceiverAnswer>
  /** Makes a contender whose seller has the receiver as its endpoint, unless `hasEndpoint` is false. */
  readonly makeSide: (
    name: "corrente" | "bare",
    simulatorDelayMillis: number,
    hasEndpoint?: boolean,
  ) => Promise<LifeSide>
  /** Gives a side's seller one more endpoint at the receiver. */
  readonly addEndpoint: (side: Pick<LifeSide, "ops" | "sellerId">) => Promise<Endpoint>
}

/** As `ops endpoint create` tells it. */
export interface Endpoint {
  readonly id: string
  readonly secret: string
}

const queue = "life"

/** Runs `body` on a stand whose workers are stopped at its end. */
export const withLifeStand = async <A>(body: (stand: LifeStand) => Promise<A>): Promise<A> => {
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  const receiver = startWorker<LifeReceiverRequest, LifeReceiverAnswer>(
    new URL("../load/lifeReceiver.ts", import.meta.url),
  )
  try {
    const { listening } = await receiver.ask({ kind: "listen" })
    if (listening === undefined) throw new Error("the receiver does not listen")
    const { url, origin, caFile, secret } = listening
    const addEndpoint: LifeStand["addEndpoint"] = async ({ ops, sellerId }) =>
      (await ops([
        ...["endpoint", "create", "--seller", sellerId, "--mode", "test"],
        ...["--url", url, "--events", "transaction.paid"],
      ])) as Endpoint
    const makeSide: LifeStand["makeSide"] = async (name, simulatorDelayMillis, hasEndpoint = true) => {
      const endpointsFile = join(dataRoot, "life-endpoints.json")
      const ground = await startSideGround(name, {
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
          await loadBareQueue(ground.redis.client)
          return { ...ground, name, endpointSecret: secret }
        }
        const endpointSecret = hasEndpoint ? (await addEndpoint(ground)).secret : secret
        return { ...ground, name, endpointSecret }
      } catch (error) {
        await ground.stop()
        throw error
      }
    }
    return await body({ load, receiver, makeSide, addEndpoint })
  } finally {
    await Promise.all([load.stop(), receiver.stop()])
  }
}
