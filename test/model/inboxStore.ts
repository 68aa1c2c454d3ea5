import { InboxStore, type NoticeResult, type StoredNotice } from "../../actors/ports/inboxStore.ts"
import {
  type NoticeContent,
  noticeBytes,
  noticeTimerName,
  type ReceivedNotice,
} from "../../actors/values/receivedNotice.ts"
import { timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, type MemoryState, type NoticeRecord, partitionOf } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const setTimer = (state: MemoryState, resourceId: string, dueMillis: number): void =>
  setTimers(state, [{ name: noticeTimerName, resourceId, dueMillis }])

/** The name by which a notice's event is known. */
const eventName = (notice: Pick<StoredNotice, "acquirerSlug" | "providerEventId">): string =>
  `${notice.acquirerSlug}:${notice.providerEventId}`

/** When a notice of this id is past retention. */
const oldMillisOf = (state: MemoryState, id: string): number =>
  timeOfId(id) + state.options.eventRetentionMillis

/** Drops notices past retention, and forgets the events that they, or those dropped for room, were about. */
const forgetOld = (state: MemoryState, nowMillis: number): void => {
  if (nowMillis < state.noticesOldMillis) return
  state.noticesOldMillis = Number.POSITIVE_INFINITY
  const isOld = (id: string) => {
    const oldMillis = oldMillisOf(state, id)
    if (oldMillis <= nowMillis) return true
    state.noticesOldMillis = Math.min(state.noticesOldMillis, oldMillis)
    return false
  }
  for (const id of state.notices.keys()) if (isOld(id)) state.notices.delete(id)
  for (const [name, id] of state.noticesSeen) if (isOld(id)) state.noticesSeen.delete(name)
}

/** Runs a step at the clock's time, on the notices that are still kept. */
const inboxStep = <A>(state: MemoryState, step: (nowMillis: number) => A) =>
  atomicStep(state, (nowMillis) => {
    forgetOld(state, nowMillis)
    return step(nowMillis)
  })

const newestFirst = (left: StoredNotice, right: StoredNotice): number => (left.id < right.id ? 1 : -1)

/** A partition's notices with a valid signature, or those without; newest first. */
const noticesIn = (
  state: MemoryState,
  partition: number,
  signatureValid: boolean,
): ReadonlyArray<NoticeRecord> =>
  [...state.notices.values()]
    .filter(({ notice }) => notice.signatureValid === signatureValid)
    .filter(({ notice }) => partitionOf(state, notice.id) === partition)
    .sort((left, right) => newestFirst(left.notice, right.notice))

/** Drops the oldest processed notices to make room for so many bytes; false if they do not fit even then. */
const makeRoom = (state: MemoryState, partition: number, bytes: number): boolean => {
  const kept = noticesIn(state, partition, true)
  const sizeOf = (records: ReadonlyArray<NoticeRecord>) =>
    records.reduce((sum, record) => sum + record.bytes, 0)
  const done = kept.filter(({ notice }) => notice.processedAt !== undefined)
  const { inboxBytesMax } = state.options
  if (sizeOf(kept) - sizeOf(done) + bytes > inboxBytesMax) return false
  let excess = sizeOf(kept) + bytes - inboxBytesMax
  for (const { notice, bytes: freed } of done.toReversed()) {
    if (excess <= 0) break
    state.notices.delete(notice.id)
    excess -= freed
  }
  return true
}

const duplicate = (state: MemoryState, id: string, bodyHash: string, nowMillis: number) => {
  const first = state.notices.get(id)
  if (first !== undefined && first.notice.processedAt === undefined) setTimer(state, id, nowMillis)
  const keeper = first === undefined || "body" in first.content ? id : first.content.noticeId
  const contentOf = first?.notice.bodyHash === bodyHash ? keeper : undefined
  return { kind: "duplicate", id, contentOf } as const
}

const receive = (state: MemoryState, received: ReceivedNotice, nowMillis: number) => {
  const { content, ...facts } = received
  const { id, signatureValid, bodyHash } = facts
  const partition = partitionOf(state, id)
  if (state.notices.has(id)) return { kind: "received", id } as const
  const firstId = signatureValid ? state.noticesSeen.get(eventName(facts)) : undefined
  if (firstId !== undefined) return duplicate(state, firstId, bodyHash, nowMillis)
  const bytes = noticeBytes(received)
  if (signatureValid && !makeRoom(state, partition, bytes)) return { kind: "full" } as const
  const fresh = { attempts: 0, processedAt: undefined, error: undefined, reprocessedAt: undefined }
  state.notices.set(id, { notice: { ...facts, ...fresh }, content, bytes })
  state.noticesOldMillis = Math.min(state.noticesOldMillis, oldMillisOf(state, id))
  if (signatureValid) {
    state.noticesSeen.set(eventName(facts), id)
    setTimer(state, id, nowMillis)
  } else {
    const surplus = noticesIn(state, partition, false).slice(limits.unsignedNoticesMax)
    for (const { notice } of surplus) state.notices.delete(notice.id)
  }
  return { kind: "received", id } as const
}

/** Changes a notice; false if it does not exist. */
const change = (
  state: MemoryState,
  id: string,
  changes: (notice: StoredNotice) => Partial<StoredNotice>,
): boolean => {
  const found = state.notices.get(id)
  if (found === undefined) return false
  state.notices.set(id, { ...found, notice: { ...found.notice, ...changes(found.notice) } })
  return true
}

const record = (state: MemoryState, result: NoticeResult, nowMillis: number): void => {
  const { id, processedAt, error, retryAfterMillis } = result
  const isThere = change(state, id, ({ attempts }) => ({ attempts: attempts + 1, processedAt, error }))
  if (!isThere || retryAfterMillis === undefined) dropTimer(state, id, noticeTimerName)
  else setTimer(state, id, nowMillis + retryAfterMillis)
}

const contentOf = (state: MemoryState, id: string): NoticeContent | undefined => {
  const own = state.notices.get(id)?.content
  if (own === undefined || "body" in own) return own
  const kept = state.notices.get(own.noticeId)?.content
  return kept !== undefined && "body" in kept ? kept : undefined
}

/** InboxStore over the memory state. */
export const makeInboxStore = (state: MemoryState): InboxStore["Service"] =>
  InboxStore.of({
    receive: (notice) => inboxStep(state, (nowMillis) => receive(state, notice, nowMillis)),

    load: (id) => inboxStep(state, () => state.notices.get(id)?.notice),

    content: (id) => inboxStep(state, () => contentOf(state, id)),

    record: (result) => inboxStep(state, (nowMillis) => record(state, result, nowMillis)),

    reprocess: (id, at) =>
      inboxStep(state, (nowMillis) => {
        const found = state.notices.get(id)?.notice
        if (found === undefined) return { kind: "missing" }
        if (!found.signatureValid) return { kind: "badSignature" }
        change(state, id, () => ({ reprocessedAt: at, processedAt: undefined }))
        setTimer(state, id, nowMillis)
        return { kind: "queued" }
      }),

    list: (page) =>
      inboxStep(state, () =>
        [...state.notices.values()]
          .map(({ notice }) => notice)
          .filter((notice) => page.beforeId === undefined || notice.id < page.beforeId)
          .filter(
            (notice) =>
              page.state === undefined || (notice.signatureValid && notice.processedAt === undefined),
          )
          .sort(newestFirst)
          .slice(0, page.limit),
      ),
  })
