import { describe, expect, it } from "vitest"
import { learn, nowhere, stepTo } from "../../web/src/api/feedPosition.ts"
import {
  addNewer,
  addOlder,
  begin,
  emptyFeed,
  type Feed,
  isOfTypes,
  newestSeq,
  release,
} from "../../web/src/pages/events/feed.ts"
import { jsonText, summaryOf, toggled, typesOf } from "../../web/src/pages/events/rules.ts"

interface Numbered {
  readonly seq: number
}

/** Events with these numbers, from the highest to the lowest. */
const events = (highest: number, lowest: number): ReadonlyArray<Numbered> =>
  Array.from({ length: highest - lowest + 1 }, (_, index) => ({ seq: highest - index }))
const seqs = (some: ReadonlyArray<Numbered>) => some.map(({ seq }) => seq)
const shownTo = (highest: number, lowest: number): Feed<Numbered> =>
  begin(emptyFeed, events(highest, lowest), lowest > 1)

describe("the rows of a feed", () => {
  it("new events wait, newest first, and are shown once released", () => {
    const held = addNewer(addNewer(shownTo(3, 1), events(4, 4)), events(6, 5))
    expect([seqs(held.shown), seqs(held.waiting)]).toEqual([
      [3, 2, 1],
      [6, 5, 4],
    ])
    expect(newestSeq(held)).toBe(6)
    const shown = release(held)
    expect([seqs(shown.shown), seqs(shown.waiting)]).toEqual([[6, 5, 4, 3, 2, 1], []])
  })

  it("events that were missed take their place, whether their neighbours wait or are shown", () => {
    const torn = release(addNewer(shownTo(3, 1), events(9, 8)))
    const held = addNewer(torn, events(13, 12))
    const healed = addNewer(held, events(13, 3))
    expect(seqs(healed.shown)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    expect(seqs(healed.waiting)).toEqual([13, 12, 11, 10])
    expect(seqs(release(healed).shown)).toEqual(seqs(events(13, 1)))
  })

  it("an event that comes twice is one row, and what is older than all rows is left to the list", () => {
    const feed = addNewer(addNewer(shownTo(8, 5), events(9, 9)), events(9, 2))
    expect(seqs(release(feed).shown)).toEqual([9, 8, 7, 6, 5])
  })

  it("the newest are kept up to the limit, and one more makes room", () => {
    const full = release(addNewer(shownTo(2, 1), events(4, 3), 4), 4)
    expect([seqs(full.shown), full.hasOlder]).toEqual([[4, 3, 2, 1], false])
    const more = release(addNewer(full, events(5, 5), 4), 4)
    expect([seqs(more.shown), more.hasOlder]).toEqual([[5, 4, 3, 2], true])
  })

  it("as many as the limit may wait; one more, and the rows begin anew without a hole", () => {
    const most = addNewer(shownTo(2, 1), events(6, 3), 4)
    expect([most.isWhole, seqs(release(most, 10).shown)]).toEqual([true, [6, 5, 4, 3, 2, 1]])
    const tooMany = addNewer(most, events(7, 7), 4)
    expect([tooMany.isWhole, seqs(tooMany.waiting)]).toEqual([false, [7, 6, 5, 4]])
    const shown = release(tooMany, 10)
    expect([seqs(shown.shown), shown.isWhole, shown.hasOlder]).toEqual([[7, 6, 5, 4], true, true])
  })

  it("older events follow the last row, each once, until the list ends", () => {
    const feed = addOlder(shownTo(9, 6), events(7, 3), true)
    expect([seqs(feed.shown), feed.hasOlder]).toEqual([[9, 8, 7, 6, 5, 4, 3], true])
    expect(addOlder(feed, events(2, 1), false).hasOlder).toBe(false)
  })

  it("what came while the first page was read waits behind it, without repetitions", () => {
    const early = addNewer(emptyFeed as Feed<Numbered>, events(12, 9))
    const begun = begin(early, events(10, 4), true)
    expect([seqs(begun.shown), seqs(begun.waiting)]).toEqual([seqs(events(10, 4)), [12, 11]])
  })
})

describe("the place of a tab in the feed", () => {
  it("the next number follows, a lower one is repeated, and one left out is a gap", () => {
    const at = { id: "evt_5", seq: 5 }
    expect(stepTo(at, { seq: 6 })).toBe("next")
    expect(stepTo(at, { seq: 5 })).toBe("repeated")
    expect(stepTo(at, { seq: 1 })).toBe("repeated")
    expect(stepTo(at, { seq: 7 })).toBe("gap")
    expect(stepTo(nowhere, { seq: 40 })).toBe("next")
  })

  it("a tab learns its place from another only while it has none", () => {
    const told = { id: "evt_9", seq: 9 }
    expect(learn(nowhere, told)).toBe(told)
    const own = { id: "evt_5", seq: 5 }
    expect(learn(own, told)).toBe(own)
    expect(learn(nowhere, nowhere)).toBe(nowhere)
  })
})

describe("the filter of types", () => {
  it("an event passes by its type, by its family, or where there is no filter", () => {
    expect(isOfTypes("transaction.paid", [])).toBe(true)
    expect(isOfTypes("transaction.paid", ["ping", "transaction.paid"])).toBe(true)
    expect(isOfTypes("transaction.paid", ["transaction.*"])).toBe(true)
    expect(isOfTypes("transactions.paid", ["transaction.*"])).toBe(false)
    expect(isOfTypes("transaction.paid", ["transaction"])).toBe(false)
    expect(isOfTypes("transaction.paid", ["refund.*"])).toBe(false)
  })

  it("the address names types once each, in any order; a star and nothing stand for all", () => {
    expect(typesOf(null)).toEqual([])
    expect(typesOf("*")).toEqual([])
    expect(typesOf("")).toEqual([])
    expect(typesOf(" refund.*,transaction.paid,,refund.* ")).toEqual(["refund.*", "transaction.paid"])
    expect(toggled([], "refund.*")).toBe("refund.*")
    expect(toggled(["refund.*"], "ping")).toBe("refund.*,ping")
    expect(toggled(["refund.*", "ping"], "refund.*")).toBe("ping")
    expect(toggled(["ping"], "ping")).toBeUndefined()
  })
})

describe("the texts of an event", () => {
  it("a row tells the amount and the customer, or what else the resource has", () => {
    const object = { object: "transaction", id: "txn_1", amount: 1290, customer: { name: "Ana" } }
    expect(summaryOf({ type: "transaction.paid", data: { object } })).toEqual({
      object: "transaction",
      id: "txn_1",
      amount: 1290,
      name: "Ana",
    })
    const nothing = { object: "ping", id: undefined, amount: undefined, name: undefined }
    expect(summaryOf({ type: "ping", data: { object: { customer: null, amount: "1" } } })).toEqual(nothing)
  })

  it("JSON is shown with hidden and direction-changing marks written out, and can be read back", () => {
    const hostile = { name: "a\u202eb\u200b<script>\u2066", more: ["é", 1] }
    const text = jsonText(hostile)
    expect(text).toContain("a\\u202eb\\u200b<script>\\u2066")
    expect(text).toContain("é")
    expect(JSON.parse(text)).toEqual(hostile)
  })
})
