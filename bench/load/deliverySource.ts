/** A process that owes events to endpoints, as fast as possible or at a fixed rate. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { type SealedPlace, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import type { Feed } from "../../schema/ids.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { percentileOf } from "../support/statistics.ts"
import type { AlarmSchedule } from "./alarm.ts"
import {
  type DelivererName,
  type DeliveryRound,
  type DeliverySourceAnswer,
  type DeliverySourceRequest,
  placeholderDocument,
  placeholderId,
  resourceIdOf,
  templateDocument,
} from "./deliveryProtocol.ts"
import { type DeliverySink, openSink } from "./deliverySink.ts"
import { serveParent } from "./serveParent.ts"
import { monotonicMillis } from "./streamProtocol.ts"

/** Concurrent calls without a rate: as many as a busy server has requests. */
const underWayMax = 256
/** The alarm's thread takes a moment to start. */
const leadMillis = 150

interface Connection {
  readonly sink: DeliverySink
  readonly type: string
  /** The template before and after its id, and where it is stored, after its document. */
  readonly before: string
  readonly after: string
  readonly afterDocument: string | undefined
  readonly seal: (text: string, place: SealedPlace) => string
}

const connections = new Map<string, Connection>()
const connectionName = (name: DelivererName, queue: string): string => `${name} ${queue}`

const connect = (target: Extract<DeliverySourceRequest, { readonly kind: "connect" }>): void => {
  const { name, queue, template } = target
  const sink = openSink(target)
  const [before = "", rest = ""] = template[sink.form].split(placeholderId)
  const [after = "", afterDocument] = rest.split(placeholderDocument)
  const { seal } = makeCipher(plainKey(Buffer.from(template.encryptionKey, "base64")))
  const { type } = template
  connections.set(connectionName(name, queue), { sink, type, before, after, afterDocument, seal })
}

/** Owes event n of a round. */
type Owe = (event: number) => Promise<unknown>

const oweOf = (
  { sink, type, before, after, afterDocument, seal }: Connection,
  { run, groups }: DeliveryRound,
  feeds: ReadonlyArray<Feed>,
  dueAtMillis: number | undefined,
): Owe => {
  return (event) => {
    const group = event % groups.length
    const feed = feeds[group]
    if (feed === undefined) throw new Error(`group ${group} has no feed`)
    const resourceId = resourceIdOf(run, event)
    const sealed =
      afterDocument === undefined
        ? ""
        : seal(templateDocument, sealedPlaces.customerDocument(resourceId)) + afterDocument
    const data = before + resourceId + after + sealed
    return sink.owe({ feed, endpoints: groups[group] ?? [], type, resourceId, data, dueAtMillis })
  }
}

const oweAll = async (owe: Owe, fromEvent: number, toEvent: number): Promise<DeliverySourceAnswer> => {
  const startMillis = monotonicMillis()
  let next = fromEvent
  const oweOn = async () => {
    while (next < toEvent) await owe(next++)
  }
  await Promise.all(Array.from({ length: underWayMax }, oweOn))
  return { startMillis, latenessMillis: 0 }
}

const oweAtRate = async (
  owe: Owe,
  fromEvent: number,
  toEvent: number,
  ratePerSecond: number,
): Promise<DeliverySourceAnswer> => {
  const events = toEvent - fromEvent
  const intervalMillis = 1_000 / ratePerSecond
  const startMillis = monotonicMillis() + leadMillis
  const lateness: Array<number> = []
  const owed: Array<Promise<unknown>> = []
  const oweDue = () => {
    const nowMillis = monotonicMillis()
    while (lateness.length < events && startMillis + lateness.length * intervalMillis <= nowMillis) {
      const done = owe(fromEvent + lateness.length)
      // Awaiting all reports a failure; until then it must not end the process.
      done.catch(() => {})
      owed.push(done)
      lateness.push(nowMillis - (startMillis + lateness.length * intervalMillis))
    }
  }
  const schedule: AlarmSchedule = {
    startMillis: performance.timeOrigin + performance.now() + leadMillis,
    intervalMillis,
    count: events,
  }
  const alarm = new Worker(new URL("./alarm.ts", import.meta.url), { workerData: schedule })
  alarm.on("message", oweDue)
  await once(alarm, "exit")
  while (lateness.length < events) {
    oweDue()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(owed)
  return { startMillis, latenessMillis: percentileOf(lateness, 99) }
}

serveParent<DeliverySourceRequest, DeliverySourceAnswer>((request) => {
  if (request.kind === "connect") {
    connect(request)
    return { startMillis: 0, latenessMillis: 0 }
  }
  const connection = connections.get(connectionName(request.name, request.queue))
  if (connection === undefined) throw new Error(`the source does not know ${request.name}'s Redis`)
  const { round, fromEvent, toEvent, feeds, ratePerSecond, dueAtMillis } = request
  const owe = oweOf(connection, round, feeds, dueAtMillis)
  return ratePerSecond === undefined
    ? oweAll(owe, fromEvent, toEvent)
    : oweAtRate(owe, fromEvent, toEvent, ratePerSecond)
})
