import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStoreLive } from "../model/memoryStore.ts"
import { MemoryStore } from "../model/state.ts"
import { storeConformance } from "./suite.ts"

storeConformance<MemoryStore>("the store in memory", MemoryStoreLive, {
  advance: (millis) => TestClock.adjust(millis),
  revokeKey: (principal) =>
    Effect.map(MemoryStore, (state) => {
      const record = state.apiKeys.get(principal.keyHash)
      if (record !== undefined) record.revokeAtMillis = 0
    }),
  deleteEndpoint: (endpointId) =>
    Effect.map(MemoryStore, (state) => {
      const record = state.endpoints.get(endpointId)
      if (record !== undefined) record.deleted = true
    }),
  contents: Effect.map(MemoryStore, ({ hintListeners: _hint, wakeListeners: _wake, ...held }) =>
    structuredClone(held),
  ),
})

storeConformance("the store in memory, on real time", MemoryStoreLive, {}, { atOnce: true })
