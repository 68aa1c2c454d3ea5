import { BulkStore, type StoredBulk } from "../../actors/ports/bulkStore.ts"
import { bulkTimerName } from "../../actors/values/bulkTimer.ts"
import { limits } from "../../schema/limits.ts"
import { checkRequest, writeRecord } from "./idempotency.ts"
import { atomicStep, type MemoryState } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const isDone = ({ done, ids }: StoredBulk): boolean => done === ids.length

/** BulkStore over the memory state. */
export const makeBulkStore = (state: MemoryState): BulkStore["Service"] =>
  BulkStore.of({
    create: (principal, idempotency, bulk, answer) =>
      atomicStep(state, (nowMillis) => {
        const refusal = checkRequest(state, nowMillis, principal, idempotency)
        if (refusal?.kind === "doneByUs") return { kind: "created" }
        if (refusal !== undefined) return refusal
        const { sellerId, mode } = principal
        const isRunning = [...state.bulks.values()].some(
          ({ bulk: other }) => other.sellerId === sellerId && other.mode === mode && !isDone(other),
        )
        if (isRunning) return { kind: "running" }
        state.bulks.set(bulk.id, { bulk, endedMillis: undefined })
        setTimers(state, [{ resourceId: bulk.id, name: bulkTimerName, dueMillis: nowMillis }])
        writeRecord(state, nowMillis, principal, idempotency, { kind: "done", status: 202, body: answer })
        return { kind: "created" }
      }),

    load: (id) =>
      atomicStep(state, (nowMillis) => {
        const found = state.bulks.get(id)
        if (found === undefined) return undefined
        const { bulk, endedMillis = nowMillis } = found
        return nowMillis < endedMillis + limits.bulkKeptMillis ? bulk : undefined
      }),

    advance: ({ id, done: from }, done, failed) =>
      atomicStep(state, (nowMillis) => {
        const found = state.bulks.get(id)
        if (found === undefined || found.bulk.done !== from) return { kind: "stale" }
        const bulk = { ...found.bulk, done, failed: [...found.bulk.failed, ...failed] }
        const isOver = isDone(bulk)
        state.bulks.set(id, { bulk, endedMillis: isOver ? nowMillis : undefined })
        if (isOver) {
          dropTimer(state, id, bulkTimerName)
          return { kind: "finished" }
        }
        const dueMillis = nowMillis + limits.bulkLeaseMillis
        setTimers(state, [{ resourceId: id, name: bulkTimerName, dueMillis }])
        return { kind: "advanced" }
      }),
  })
