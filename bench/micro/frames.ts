import { renderEventFrame } from "../../actors/event/envelope.ts"
import { makeId } from "../../schema/ids.ts"
import { FanOut } from "../../src/feed/fanOut.ts"
import { FeedStream, Hub } from "../../src/feed/feedStream.ts"

const feed = { sellerId: makeId("sel_", 1_763_683_655_123, 7, new Uint8Array(14)), mode: "live" as const }
const data = JSON.stringify({ id: "txn_1", status: "paid", amount: 1_990, qr: "iVBORw0KGgo".repeat(150) })
const rest = { seq: 41, type: "transaction.paid", resourceId: "txn_1", internal: false, data }
const entryOf = (index: number) => ({ ...rest, entryId: `${1_763_683_655_123 + (index % 64)}-0` })
const restore = (text: string): string => text
const frameOf = (index: number): string => renderEventFrame(feed, entryOf(index), restore)
const nothing = (): void => {}
const hub = new Hub(feed)
const fanOut = new FanOut(restore, { framesSent: 0 }, { cutSlow: nothing, tellStatus: nothing })
const ends = { whenDrained: nothing, end: nothing, cut: nothing, onEnded: nothing }
let bytesWritten = 0
for (let index = 0; index < 10_000; index++) {
  const write = (bytes: Uint8Array): void => {
    bytesWritten += bytes.byteLength
  }
  const stream = new FeedStream(String(index), hub, undefined, undefined, 0, 0, 0)
  stream.connection = { write, unsentBytes: () => 0, ...ends }
  hub.live.add(stream)
}

const measured = (iterations: number, work: () => number) => {
  const startedAt = process.hrtime.bigint()
  const checksum = work()
  return { iterations, checksum, nanosPerOperation: Number(process.hrtime.bigint() - startedAt) / iterations }
}

/** Builds an event's envelope and frame from the stored entry. */
export const frameBench = {
  name: "event frame",
  run: (iterations: number) =>
    measured(iterations, () => {
      let bytes = 0
      for (let i = 0; i < iterations; i++) bytes += Buffer.from(frameOf(i)).length
      return bytes
    }),
}

/** Writes events to 10,000 streams each; every event is encoded once for all. */
export const fanOutBench = {
  name: "frame to one of 10,000 streams",
  run: (iterations: number) =>
    measured(Math.ceil(iterations / hub.live.size) * hub.live.size, () => {
      bytesWritten = 0
      for (let written = 0; written < iterations; written += hub.live.size) {
        hub.last = "0-0"
        fanOut.deliver(hub, [entryOf(written)])
      }
      return bytesWritten
    }),
}
