import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Frame, frameReader } from "../../client/src/frames.ts"

const encoder = new TextEncoder()
const frame = (fields: Partial<Frame>): Frame => ({
  id: undefined,
  event: undefined,
  data: undefined,
  retry: undefined,
  ...fields,
})

const text = [
  "retry: 3000\n\n",
  'event: ready\ndata: {"mode":"test"}\n\n',
  ": ping\n\n",
  'id: evt_1\r\nevent: transaction.paid\r\ndata: {"name":"José 支払い 💸"}\r\n\r\n',
  "id:evt_2\rdata:one\rdata: two\rdata\r\r",
  "id: evt_3\ndata: never ended\n",
].join("")

const frames = [
  frame({ retry: "3000" }),
  frame({ event: "ready", data: '{"mode":"test"}' }),
  frame({ id: "evt_1", event: "transaction.paid", data: '{"name":"José 支払い 💸"}' }),
  frame({ id: "evt_2", data: "one\ntwo\n" }),
]

describe("frameReader", () => {
  it("frameReader gives the same frames however the bytes are cut, and none that never ended", () => {
    const bytes = encoder.encode(text)
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
        const reader = frameReader()
        const bounds = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
        const found = bounds.slice(1).flatMap((end, i) => reader.push(bytes.subarray(bounds[i], end)))
        expect(found).toEqual(frames)
      }),
      { numRuns: 200 },
    )
  })
})
