import { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** RateLimiter in memory: keeps, for each bucket, when it is full again. */
export const makeRateLimiter = (state: MemoryState): RateLimiter["Service"] => {
  const fullAtMillis = new Map<string, number>()
  return RateLimiter.of({
    take: ({ partition, name, capacity, windowMillis }) =>
      atomicStep(state, (nowMillis) => {
        const key = `${partition}:${name}`
        const perTokenMillis = windowMillis / capacity
        const fullAt = Math.max(nowMillis, fullAtMillis.get(key) ?? 0)
        const missing = (fullAt - nowMillis) / perTokenMillis
        if (missing + 1 > capacity + 1e-6) {
          return {
            isTaken: false,
            remaining: 0,
            nextInMillis: Math.ceil((missing + 1 - capacity) * perTokenMillis),
            fullInMillis: Math.ceil(fullAt - nowMillis),
          }
        }
        fullAtMillis.set(key, fullAt + perTokenMillis)
        return {
          isTaken: true,
          remaining: Math.floor(capacity - missing - 1 + 1e-6),
          nextInMillis: 0,
          fullInMillis: Math.ceil(fullAt + perTokenMillis - nowMillis),
        }
      }),
  })
}
