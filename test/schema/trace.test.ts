import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { renderDeliveryEvent, renderFeedEvent } from "../../actors/event/envelope.ts"
import { hexOfId, isId, makeId, partitionOfId, timeOfId } from "../../schema/ids.ts"
import {
  isSampledId,
  madeTraceId,
  parentIdOfAttempt,
  parseTraceparent,
  sampledId,
  spanIdOfCreation,
  traceIdOf,
  traceIdOfHeader,
  traceparentOf,
} from "../../schema/trace.ts"

const hex = (length: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0*$/.test(text))
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const id = fc
  .tuple(
    fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    fc.nat(1_023),
    fc.uint8Array({ minLength: 14, maxLength: 14 }),
  )
  .map(([millis, partition, random]) => makeId("txn_", millis, partition, random))

describe("the trace id of a traceparent", () => {
  it("a valid traceparent of version 00 gives its trace id, whatever its parent id and flags", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.stringMatching(/^[0-9a-f]{2}$/), (trace, parent, flags) => {
        assert.strictEqual(traceIdOfHeader(`00-${trace}-${parent}-${flags}`), trace)
      }),
    )
  })

  it("a traceparent gives its parent id, and whether its caller samples the trace: the lowest bit of its flags", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.nat(255), (trace, parent, flags) => {
        const header = `00-${trace}-${parent}-${flags.toString(16).padStart(2, "0")}`
        const isSampled = flags % 2 === 1
        assert.deepStrictEqual(parseTraceparent(header), { traceId: trace, spanId: parent, isSampled })
      }),
    )
  })

  it("a traceparent of a later version is read as far as version 00 goes", () => {
    for (const rest of ["", "-", "-what-comes-later"]) {
      assert.strictEqual(traceIdOfHeader(`cc-${traceId}-00f067aa0ba902b7-01${rest}`), traceId)
    }
  })

  it.each([
    undefined,
    "",
    "00",
    traceId,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `0g-${traceId}-00f067aa0ba902b7-01`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-0000000000000000-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${traceId.slice(1)}-00f067aa0ba902b7-01`,
    `00-${traceId}0-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b-01`,
    `00-${traceId}-00f067aa0ba902b7`,
    `00-${traceId}-00f067aa0ba902b7-0`,
    `00-${traceId}-00f067aa0ba902b7-0x`,
    `00-${traceId}-00f067aa0ba902b7-01-more`,
    `01-${traceId}-00f067aa0ba902b7-01more`,
    ` 00-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b7-01, 00-${traceId}-00f067aa0ba902b7-01`,
  ])("an invalid traceparent counts as absent: %j", (header) => {
    assert.isUndefined(traceIdOfHeader(header))
  })
})

describe("a made trace id", () => {
  it("a made trace id is the 128 bits of the resource's id in hexadecimal, and so differs as ids do", () => {
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    fc.assert(
      fc.property(id, (one) => {
        const value = [...one.slice(4)].reduce(
          (sum, digit) => sum * 32n + BigInt(alphabet.indexOf(digit)),
          0n,
        )
        assert.strictEqual(hexOfId(one), value.toString(16).padStart(32, "0"))
        assert.strictEqual(madeTraceId(one), hexOfId(one))
      }),
    )
  })

  it("a traceparent of ours is one that we would accept", () => {
    fc.assert(
      fc.property(hex(32), id, (trace, one) => {
        const parent = parentIdOfAttempt(one.replace("txn_", "whd_"))
        assert.strictEqual(parent, hexOfId(one).slice(16))
        fc.pre(parent !== "0".repeat(16))
        assert.strictEqual(traceIdOfHeader(traceparentOf(trace, parent)), trace)
      }),
    )
  })
})

describe("the id of a resource whose creation was sampled", () => {
  it("a sampled id is an id of the same time and partition, and says that it is sampled", () => {
    fc.assert(
      fc.property(id, (one) => {
        const marked = sampledId(one)
        assert.isTrue(isId("txn_", marked))
        assert.deepStrictEqual(
          [timeOfId(marked), partitionOfId(marked), isSampledId(marked)],
          [timeOfId(one), partitionOfId(one), true],
        )
        // 50 random bits are left, which the span's id has with the mark.
        assert.strictEqual(marked.slice(0, -4), one.slice(0, -4))
        assert.strictEqual(spanIdOfCreation(marked), madeTraceId(marked).slice(16))
      }),
    )
  })

  it("an id that is not sampled does not say so", () => {
    fc.assert(fc.property(id, (one) => assert.strictEqual(isSampledId(one), one.endsWith("TRCE"))))
  })
})

describe("the trace id of a stored resource", () => {
  const begin = `{"id":"txn_1","object":"transaction"`
  const entry = {
    entryId: "1795348980000-0",
    seq: 2,
    type: "transaction.paid",
    resourceId: "txn_1",
    internal: false,
  }
  const feed = { sellerId: "sel_01KA0000000700000000000000", mode: "test" } as const
  const asIs = (text: string) => text

  it("an event has the trace id of its resource, in both forms", () => {
    const data = `${begin},"trace_id":"${traceId}","mode":"test"}`
    assert.strictEqual(traceIdOf(data), traceId)
    for (const render of [renderDeliveryEvent, renderFeedEvent]) {
      assert.include(JSON.parse(render(feed, { ...entry, data }, asIs)), { trace_id: traceId, seq: 2 })
    }
  })

  it("an event of a resource without a trace keeps the bytes it had before there were any", () => {
    for (const rest of ["", `,"metadata":{"trace_id":"${traceId}"}`, ',"trace_id":null', ',"trace_id":"x"']) {
      const data = `${begin},"mode":"test"${rest}}`
      assert.isUndefined(traceIdOf(data))
      assert.match(renderDeliveryEvent(feed, { ...entry, data }, asIs), /"seq":2,"data":\{"object":/)
      assert.match(
        renderFeedEvent(feed, { ...entry, data }, asIs),
        /"seq":2,"internal":false,"data":\{"object":/,
      )
    }
  })
})
