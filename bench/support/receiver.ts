import { mkdirSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import type { ReceiverAnswer, ReceiverEndpoint, ReceiverRequest } from "../load/receiver.ts"
import { startWorker } from "./child.ts"
import { dataRoot } from "./redisServer.ts"
import type { Side } from "./sides.ts"

/** Starts webhook endpoints in a process of their own. */
export const startReceiver = async (count = 1) => {
  const worker = startWorker<ReceiverRequest, ReceiverAnswer>(new URL("../load/receiver.ts", import.meta.url))
  try {
    mkdirSync(dataRoot, { recursive: true })
    const folder = mkdtempSync(join(dataRoot, "receiver-"))
    const listening: unknown = await worker.ask({ kind: "listen", endpoints: count, folder })
    const endpoints = listening as ReadonlyArray<ReceiverEndpoint>
    const caFile = join(folder, "ca.pem")
    const origins = endpoints.map(({ url }) => new URL(url).origin)
    return {
      ...worker,
      endpoints,
      caFile,
      /** Settings with which the service delivers to them. */
      settings: { WEBHOOK_ALLOW_DESTINATIONS: origins.join(","), WEBHOOK_CA_FILE: caFile },
      /** Registers the first one for `transaction.paid` of a side's seller. */
      addEndpoint: async ({ ops, sellerId }: Pick<Side, "ops" | "sellerId">) =>
        (await ops([
          ...["endpoint", "create", "--seller", sellerId, "--mode", "test"],
          ...["--url", endpoints[0]?.url ?? "", "--events", "transaction.paid"],
        ])) as { readonly id: string; readonly secret: string },
    }
  } catch (error) {
    await worker.stop()
    throw error
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export const withReceiver = async <A>(body: (receiver: Receiver) => Promise<A>): Promise<A> => {
  const receiver = await startReceiver()
  return body(receiver).finally(receiver.stop)
}
