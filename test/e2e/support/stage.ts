import { Redis } from "ioredis"
import { makeSeller, type SellerOptions, type TestSeller } from "../../support/seller.ts"
import { type Service, type ServiceOptions, startService } from "../../support/service.ts"
import type { TlsReceiver } from "../../support/tlsReceiver.ts"
import { type Client, makeClient } from "./client.ts"

/** A seller with a client in each mode. */
export interface Seller extends Omit<TestSeller, "keys"> {
  readonly keys: TestSeller["keys"]
  readonly test: Client
  readonly live: Client
}

/** A running service and the ways around its API that tests need. */
export interface Stage {
  readonly service: Service
  /** Makes a seller. Its endpoints may be receivers of the test; see {@link receiverSettings}. */
  readonly newSeller: (options?: SellerOptions) => Promise<Seller>
  /** Runs a command on the service's Redis. */
  readonly redis: (command: string, ...args: ReadonlyArray<string | number>) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Settings under which the service may deliver to these receivers. */
export const receiverSettings = (
  ...receivers: ReadonlyArray<Pick<TlsReceiver, "origin" | "caFile">>
): Record<string, string> => ({
  WEBHOOK_ALLOW_DESTINATIONS: receivers.map(({ origin }) => origin).join(","),
  WEBHOOK_CA_FILE: receivers[0]?.caFile ?? "",
})

/** The seller's clients of the service at `origin`. */
export const clientsOf = (origin: string, { keys }: Pick<TestSeller, "keys">) => ({
  test: makeClient(origin, keys.test),
  live: makeClient(origin, keys.live),
})

/** Starts the service with settings. Close the stage in `afterAll`. */
export const openStage = async (
  settings: Readonly<Record<string, string>> = {},
  options: ServiceOptions = {},
): Promise<Stage> => {
  const service = await startService({ ...options, env: { LOG_LEVEL: "warn", ...settings } })
  const redis = new Redis(service.redisUrl)
  // The service may end before its tests do, and its Redis with it.
  redis.on("error", () => {})
  return {
    service,
    newSeller: async (sellerOptions) => {
      const seller = await makeSeller(service, sellerOptions)
      return { ...seller, ...clientsOf(service.url, seller) }
    },
    redis: (command, ...args) => redis.call(command, ...args),
    close: async () => {
      redis.disconnect()
      await service.stop()
    },
  }
}

/** The one key that matches a pattern; fails where none or several do. */
export const findKey = async (stage: Stage, pattern: string): Promise<string> => {
  const keys = (await stage.redis("KEYS", pattern)) as ReadonlyArray<string>
  const [key] = keys
  if (key === undefined || keys.length > 1) throw new Error(`${keys.length} keys match ${pattern}`)
  return key
}
