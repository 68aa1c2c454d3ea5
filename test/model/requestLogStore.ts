import {
  type AnsweredRequest,
  type LoggedEntry,
  RequestLogStore,
} from "../../actors/ports/requestLogStore.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, feedName, type MemoryState, type RequestLogState } from "./state.ts"

const orderOf = (id: string): readonly [millis: number, sequence: number] => {
  const [millis = 0, sequence = -1] = id.split("-").map(Number)
  return [millis, sequence]
}
const compareIds = (one: string, other: string): number => {
  const [[millis, sequence], [otherMillis, otherSequence]] = [orderOf(one), orderOf(other)]
  return millis - otherMillis || sequence - otherSequence
}

const minuteOf = (millis: number): number => Math.floor(millis / 60_000)

/** Where the entries of a key's share of a minute are, which is the newest minute. */
const shareIn = (entries: ReadonlyArray<LoggedEntry>, apiKeyId: string | undefined, minute: number) => {
  const found: Array<number> = []
  for (let i = entries.length - 1; minuteOf(entries[i]?.atMillis ?? 0) === minute; i--) {
    if (entries[i]?.apiKeyId === apiKeyId) found.push(i)
  }
  return found
}

/** Whether there is room for one more in its share of the minute; of answered ones, the newest may have to go. */
const makeRoom = (log: RequestLogState, { apiKeyId, error }: AnsweredRequest, atMillis: number): boolean => {
  const [refused, answered] = [log.refused, log.answered].map((entries) =>
    shareIn(entries, apiKeyId, minuteOf(atMillis)),
  )
  if ((refused?.length ?? 0) + (answered?.length ?? 0) < limits.requestLogPerMinuteMax) return true
  const newest = answered?.[0]
  if (error === undefined || newest === undefined) return false
  log.answered.splice(newest, 1)
  return true
}

/** RequestLogStore over the memory state. */
export const makeRequestLogStore = (state: MemoryState): RequestLogStore["Service"] => {
  const logOf = (name: string): RequestLogState =>
    state.requestLogs.get(name) ?? { refused: [], answered: [], newestId: "0" }
  return RequestLogStore.of({
    note: ({ sellerId, mode }, requests) =>
      atomicStep(state, (nowMillis) => {
        const name = feedName(sellerId, mode)
        const log = logOf(name)
        let kept = 0
        for (const request of requests) {
          const [millis, sequence] = orderOf(log.newestId)
          const atMillis = Math.max(millis, Math.min(request.atMillis, nowMillis))
          if (!makeRoom(log, request, atMillis)) continue
          log.newestId = `${atMillis}-${atMillis > millis ? 0 : sequence + 1}`
          const entries = request.error === undefined ? log.answered : log.refused
          entries.push({ ...request, atMillis, id: log.newestId })
          if (entries.length > limits.requestLogEntriesMax) entries.shift()
          kept += 1
        }
        state.requestLogs.set(name, log)
        return kept
      }),
    list: ({ sellerId, mode }, { outcome, beforeId, limit, matches = () => true, ...window }) =>
      atomicStep(state, (nowMillis) => {
        const from = Math.max(window.fromMillis ?? 0, nowMillis - limits.requestLogKeptMillis)
        const { refused, answered } = logOf(feedName(sellerId, mode))
        const found = [...(outcome === "answered" ? [] : refused), ...(outcome === "refused" ? [] : answered)]
          .filter(
            (entry) =>
              entry.atMillis >= from &&
              entry.atMillis <= (window.toMillis ?? Infinity) &&
              (beforeId === undefined || compareIds(entry.id, beforeId) < 0) &&
              matches(entry),
          )
          .toSorted((one, other) => compareIds(other.id, one.id))
        const entries = found.slice(0, limit)
        return { entries, nextBeforeId: found.length > limit ? entries.at(-1)?.id : undefined }
      }),
  })
}
