import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger, References } from "effect"
import { parseFaultPoint } from "../../src/config/faultPoint.ts"
import { makeFaultPoint } from "../../src/faults/faultPoint.ts"

/** A port, and what happened, in order. */
const newPort = () => {
  const happened: Array<string> = []
  const port = {
    create: (id: string) =>
      Effect.sync(() => {
        happened.push(`created ${id}`)
        return { made: `w-${id}` }
      }),
    load: (id: string) => (id === "none" ? Effect.fail("missing" as const) : Effect.succeed(id)),
    count: Effect.sync(() => {
      happened.push("counted")
      return 2
    }),
    slug: "api-pix",
    lengthOf: (text: string) => text.length,
  }
  const wrapping = (text: string) => {
    const point = parseFaultPoint(text)
    if (point === undefined) throw new Error(`not a fault point: ${text}`)
    return makeFaultPoint(point, () => {
      happened.push("died")
    })
  }
  return { happened, port, wrapping, faulty: (text: string) => wrapping(text)("withdrawals", port) }
}

describe("the text of a fault point", () => {
  it("a fault point's text names a moment, a call, a subject, an occurrence and where counting starts", () => {
    const first = { about: undefined, occurrence: 1 }
    assert.deepStrictEqual(parseFaultPoint("before:withdrawals.create"), {
      ...first,
      moment: "before",
      call: "withdrawals.create",
    })
    assert.deepStrictEqual(parseFaultPoint("after:acquirer.sendPayout#12"), {
      ...first,
      moment: "after",
      call: "acquirer.sendPayout",
      occurrence: 12,
    })
    assert.deepStrictEqual(parseFaultPoint("after:timers.claim[wd_01HX]"), {
      ...first,
      moment: "after",
      call: "timers.claim",
      about: "wd_01HX",
    })
    assert.strictEqual(parseFaultPoint("before:inbox.load[inb]#3")?.occurrence, 3)
    assert.deepStrictEqual(parseFaultPoint("before:inbox.load[inb]#3@order_7"), {
      moment: "before",
      call: "inbox.load",
      about: "inb",
      occurrence: 3,
      since: "order_7",
    })
  })

  it.for([
    "",
    "withdrawals.create",
    "during:withdrawals.create",
    "before:withdrawals",
    "before:withdrawals.",
    "before:nothing.create",
    "before:withdrawals.create#0",
    "before:withdrawals.create#",
    "before:withdrawals.create#99999",
    "before:withdrawals.create[]",
    "before:withdrawals.create#1[wd]",
    "before:withdrawals.create@",
    "before:withdrawals.create@order#1",
    "before:withdrawals.create ",
    "before:withdrawals.create\nafter:inbox.load",
  ])("the text %j is no fault point", (text) => {
    assert.isUndefined(parseFaultPoint(text))
  })
})

describe("a port with a fault point", () => {
  it.effect("a fault point before a call kills before the call has done anything", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      yield* faulty("before:withdrawals.create").create("a")
      assert.deepStrictEqual(happened, ["died", "created a"])
    }),
  )

  it.effect("a fault point after a call kills after the call has succeeded, not after one that failed", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      assert.deepStrictEqual(yield* faulty("after:withdrawals.create").create("a"), { made: "w-a" })
      assert.deepStrictEqual(happened, ["created a", "died"])

      const reading = newPort()
      const port = reading.faulty("after:withdrawals.load")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(port.load("none"))))
      assert.deepStrictEqual(reading.happened, [])
      yield* port.load("a")
      assert.deepStrictEqual(reading.happened, ["died"])
    }),
  )

  it.effect("a fault point kills around a call that takes no arguments, and is an effect by itself", () =>
    Effect.gen(function* () {
      const before = newPort()
      assert.strictEqual(yield* before.faulty("before:withdrawals.count").count, 2)
      assert.deepStrictEqual(before.happened, ["died", "counted"])
      const after = newPort()
      const { count } = after.faulty("after:withdrawals.count#2")
      yield* count
      yield* count
      assert.deepStrictEqual(after.happened, ["counted", "counted", "died"])
    }),
  )

  it.effect("a fault point kills once, at the nth call, and counts when the effect runs", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      const port = faulty("before:withdrawals.create#3")
      const call = port.create("a")
      assert.deepStrictEqual(happened, [])
      for (let i = 0; i < 5; i++) yield* call
      assert.deepStrictEqual(
        happened.map((line) => line.split(" ")[0]),
        ["created", "created", "died", "created", "created", "created"],
      )
    }),
  )

  it.effect("a fault point with a subject counts only calls whose arguments or answer contain it", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      const asked = faulty("before:withdrawals.create[b]#2")
      for (const id of ["b", "a", "b"]) yield* asked.create(id)
      assert.deepStrictEqual(happened, ["created b", "created a", "died", "created b"])

      const answered = newPort()
      const port = answered.faulty("after:withdrawals.create[made]")
      yield* port.create("a")
      assert.deepStrictEqual(answered.happened, ["created a", "died"])
      const before = newPort()
      yield* before.faulty("before:withdrawals.create[made]").create("a")
      assert.deepStrictEqual(before.happened, ["created a"])
    }),
  )

  it.effect("a fault point with a start counts from the first call of any port with that text", () =>
    Effect.gen(function* () {
      const { happened, port, wrapping } = newPort()
      const wrap = wrapping("before:withdrawals.create#2@begin")
      const [withdrawals, inbox] = [wrap("withdrawals", port), wrap("inbox", port)]
      for (const id of ["a", "b", "c"]) yield* withdrawals.create(id)
      yield* inbox.load("begin here")
      for (const id of ["d", "e", "f"]) yield* withdrawals.create(id)
      assert.deepStrictEqual(
        happened.filter((line) => line !== "died").map((line) => line.at(-1)),
        ["a", "b", "c", "d", "e", "f"],
      )
      assert.strictEqual(happened.indexOf("died"), 4)

      const itself = newPort()
      yield* itself.faulty("before:withdrawals.create@begin").create("begin")
      assert.deepStrictEqual(itself.happened, ["died", "created begin"])
    }),
  )

  it.effect("a fault point logs each call that is passed, with its ids, at debug level before it kills", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      const logger = Logger.make<unknown, void>(({ message, logLevel }) => {
        happened.push(`${logLevel}: ${message}`)
      })
      const id = `wd_${"0123456789ABCDEFGHJKMNPQRS"}`
      yield* faulty("after:withdrawals.create")
        .create(`${id} and ${id}`)
        .pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Debug"),
        )
      assert.deepStrictEqual(happened, [
        `Debug: passes before withdrawals.create ${id}`,
        `created ${id} and ${id}`,
        `Debug: passes after withdrawals.create ${id}`,
        "died",
      ])
    }),
  )

  it.effect("a fault point leaves other functions, other ports and what is no effect alone", () =>
    Effect.gen(function* () {
      const { happened, faulty } = newPort()
      yield* faulty("before:withdrawals.load").create("a")
      yield* faulty("before:transactions.create").create("b")
      const port = faulty("before:withdrawals.lengthOf")
      assert.strictEqual(port.lengthOf("four"), 4)
      assert.strictEqual(port.slug, "api-pix")
      assert.deepStrictEqual(happened, ["created a", "created b"])
    }),
  )
})
