import { Effect, Layer, ManagedRuntime } from "effect"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import {
  exceptionOfNobody,
  exceptionOfResource,
  type FoundException,
} from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { Mode } from "../../../schema/ids.ts"
import { ExceptionStoreLive } from "../../../src/store/exceptions.ts"
import { RedisClientLive } from "../../../src/store/redis/redisClient.ts"
import { StoreOptions } from "../../../src/store/storeOptions.ts"
import type { Stage } from "./stage.ts"

const partitions = 64

let transfers = 0
const found = (kind: FoundException["kind"], details: object = {}): FoundException => {
  const about = `E0000000020261121120${++transfers}`
  return { kind, about, acquirer: "api-pix", amount: 700, details: { end_to_end_id: about, ...details } }
}

/** Records exceptions as sweeps do, directly in the store of a running service. Dispose of it in `afterAll`. */
export const openExceptionStore = (stage: Pick<Stage, "service">) => {
  // The store of exceptions alone: a whole store counts as a process, to which the service leaves half of the partitions.
  const store = ManagedRuntime.make(
    ExceptionStoreLive.pipe(
      Layer.provide(RedisClientLive(stage.service.redisUrl)),
      Layer.provide(
        Layer.succeed(StoreOptions, { retentionMillis: 86_400_000, partitions, processId: "test" }),
      ),
    ),
  )
  const record = async (exception: ReturnType<typeof exceptionOfNobody>): Promise<string> => {
    await store.runPromise(Effect.flatMap(ExceptionStore, ({ open }) => open(exception)))
    return exception.id
  }
  return {
    /** A payment or payout of live that is none of ours. */
    openUnknown: (kind: "payment_unknown" | "payout_unknown" = "payment_unknown", details: object = {}) =>
      record(exceptionOfNobody(found(kind, details), "api-pix:0", partitions, Date.now())),
    /** A second payment of a charge. */
    openSecond: (chargeId: string, sellerId: string, mode: Mode) =>
      record(
        exceptionOfResource(
          found("double_payment"),
          { type: "transaction", id: chargeId, sellerId, mode },
          Date.now(),
        ),
      ),
    dispose: () => store.dispose(),
  }
}
