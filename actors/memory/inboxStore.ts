import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import {
  InboxStore,
  type NoticeResult,
  noticeTimerName,
  type ReceivedNotice,
  type StoredNotice,
} from "../ports/inboxStore.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const setTimer = (state: MemoryState, resourceId: string, dueMillis: number): void =>
  setTimers(state, [{ name: noticeTimerName, resourceId, dueMillis }])

/** Forgets the notices whose retention is over. */
const forgetOld = (state: MemoryState, nowMillis: number): void => {
  for (const id of state.notices.keys()) {
    if (timeOfId(id) <= nowMillis - state.options.eventRetentionMillis) state.notices.delete(id)
  }
}

/** One step at the clock's time, on the notices that are still kept. */
const inboxStep = <A>(state: MemoryState, step: (nowMillis: number) => A) =>
  atomicStep(state, (nowMillis) => {
    forgetOld(state, nowMillis)
    return step(nowMillis)
  })

const newestFirst = (left: StoredNotice, right: StoredNotice): number => (left.id < right.id ? 1 : -1)

/** The oldest notices with a bad signature of a partition give way. */
const dropExcess = (state: MemoryState, partition: number): void => {
  const unsigned = [...state.notices.values()]
    .filter(({ id, signatureValid }) => !signatureValid && partitionOf(state, id) === partition)
    .sort(newestFirst)
  for (const { id } of unsigned.slice(limits.unsignedNoticesMax)) state.notices.delete(id)
}

const receive = (
  state: MemoryState,
  notice: ReceivedNotice,
  nowMillis: number,
): { readonly kind: "received" | "duplicate"; readonly id: string } => {
  const { id, signatureValid } = notice
  const partition = partitionOf(state, id)
  const name = `${notice.acquirerSlug}:${notice.providerEventId}`
  if (state.notices.has(id)) return { kind: "received", id }
  const first = signatureValid ? state.notices.get(state.noticesSeen.get(name) ?? "") : undefined
  if (first !== undefined) {
    if (first.processedAt === undefined) setTimer(state, first.id, nowMillis)
    return { kind: "duplicate", id: first.id }
  }
  const fresh = { attempts: 0, processedAt: undefined, error: undefined, reprocessedAt: undefined }
  state.notices.set(id, { ...notice, ...fresh })
  if (signatureValid) {
    state.noticesSeen.set(name, id)
    setTimer(state, id, nowMillis)
  } else {
    dropExcess(state, partition)
  }
  return { kind: "received", id }
}

const record = (state: MemoryState, result: NoticeResult, nowMillis: number): void => {
  const { id, processedAt, error, retryAfterMillis } = result
  const found = state.notices.get(id)
  if (found !== undefined) {
    state.notices.set(id, { ...found, attempts: found.attempts + 1, processedAt, error })
  }
  if (found === undefined || retryAfterMillis === undefined) dropTimer(state, id, noticeTimerName)
  else setTimer(state, id, nowMillis + retryAfterMillis)
}

/** InboxStore over the memory state. */
export const makeInboxStore = (state: MemoryState): InboxStore["Service"] =>
  InboxStore.of({
    receive: (notice) => inboxStep(state, (nowMillis) => receive(state, notice, nowMillis)),

    load: (id) => inboxStep(state, () => state.notices.get(id)),

    record: (result) => inboxStep(state, (nowMillis) => record(state, result, nowMillis)),

    reprocess: (id, at) =>
      inboxStep(state, (nowMillis) => {
        const found = state.notices.get(id)
        if (found === undefined) return { kind: "missing" }
        if (!found.signatureValid) return { kind: "badSignature" }
        state.notices.set(id, { ...found, reprocessedAt: at, processedAt: undefined })
        setTimer(state, id, nowMillis)
        return { kind: "queued" }
      }),

    list: (page) =>
      inboxStep(state, () =>
        [...state.notices.values()]
          .filter((notice) => page.beforeId === undefined || notice.id < page.beforeId)
          .filter(
            (notice) =>
              page.state === undefined || (notice.signatureValid && notice.processedAt === undefined),
          )
          .sort(newestFirst)
          .slice(0, page.limit),
      ),
  })
