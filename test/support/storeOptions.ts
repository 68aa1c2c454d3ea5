import { Layer } from "effect"
import { StoreOptions } from "../../src/store/storeOptions.ts"

/** Options for stores on Redis that a test builds one by one: a day's retention, as many partitions as the service has. */
export const StoreOptionsLive = Layer.succeed(StoreOptions, {
  retentionMillis: 86_400_000,
  partitions: 64,
  processId: "test",
})
