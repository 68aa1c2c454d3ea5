import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { allEvents, chargeWhen, getCharge, makeCharge } from "./support/charges.ts"
import { alteredCursors, type ErrorBody, type Page, readAll } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
/** The whole feed, oldest first: of charges with each of the `ends`. */
let feed: ReadonlyArray<Event>
let charges: ReadonlyArray<Transaction>

const ends = [
  [2_000, "paid"],
  [2_001, "pending"],
  [2_002, "failed"],
  [2_004, "refunded"],
  [2_005, "chargeback"],
] as const

const list = (query: string, by = seller.test) => by.get<Page<Event>>(`/v1/events?${query}`)
const idsOf = (events: ReadonlyArray<Event>) => events.map(({ id }) => id)
const newestFirst = (events: ReadonlyArray<Event>) => idsOf(events.toReversed())
const resourceOf = (event: Event) => String(event.data.object.id)

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  charges = await Promise.all(
    Array.from({ length: 6 }, () => ends)
      .flat()
      .map(([amount]) => makeCharge(seller.test, { amount })),
  )
  await Promise.all(
    charges.map(({ id, amount }) =>
      chargeWhen(seller.test, id, ends.find(([one]) => one === amount)?.[1] ?? ""),
    ),
  )
  feed = await allEvents(seller.test)
})
afterAll(() => stage?.close())

describe("GET /v1/events", () => {
  it("GET /v1/events has every transition once, in order of time, with seq without a gap", () => {
    expect(feed).toHaveLength(6 * (2 + 1 + 2 + 4 + 4))
    expect(feed.map(({ seq }) => seq)).toEqual(feed.map((_, index) => index + 1))
    expect(idsOf(feed)).toEqual(idsOf(feed).toSorted())
    expect(new Set(idsOf(feed)).size).toBe(feed.length)
    const times = feed.map(({ created_at }) => created_at)
    expect(times).toEqual(times.toSorted())
    const transitions = feed.map((event) => `${resourceOf(event)} ${event.type}`)
    expect(new Set(transitions).size).toBe(feed.length)
  })

  it("GET /v1/events shows the charge as it was at each event", async () => {
    for (const { id } of charges.slice(0, ends.length)) {
      const own = feed.filter((event) => resourceOf(event) === id)
      expect(own.map(({ data }) => `transaction.${data.object.status}`)).toEqual(
        own.map(({ type }) => (type === "transaction.created" ? "transaction.pending" : type)),
      )
      expect(own.at(-1)?.data.object).toEqual((await getCharge(seller.test, id)).body)
    }
    const [first] = feed
    expect(Object.keys(first ?? {})).toEqual([
      "id",
      "object",
      "type",
      "mode",
      "created_at",
      "seq",
      "trace_id",
      "internal",
      "data",
    ])
    expect(first).toMatchObject({
      object: "event",
      type: "transaction.created",
      mode: "test",
      internal: true,
    })
    expect(first?.id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(first?.created_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  })

  it("each seller and mode has a feed of its own", async () => {
    expect((await list("", seller.live)).body).toEqual({ data: [], next_cursor: null })
    const other = await stage.newSeller({ partition: seller.partition })
    expect((await list("", other.test)).body).toEqual({ data: [], next_cursor: null })
    await makeCharge(seller.live, { amount: 2_001 })
    const [live, ...rest] = (await list("", seller.live)).body.data
    expect([live?.seq, live?.mode, rest.length]).toEqual([1, "live", 0])
  })

  it.each([1, 2, 7, 77, 78, 79, 100])(
    "GET /v1/events gives every event once in pages of %i",
    async (limit) => {
      expect(idsOf(await readAll<Event>(seller.test, "/v1/events", `limit=${limit}`))).toEqual(
        newestFirst(feed),
      )
    },
  )

  it("GET /v1/events tells the time of its answer in ms, after all that it shows", async () => {
    const before = Date.now()
    const { headers, body } = await list("limit=1")
    const time = String(headers.get("X-Server-Time"))
    expect(new Date(time).toISOString()).toBe(time)
    expect(Date.parse(time)).toBeGreaterThanOrEqual(
      Math.max(before, Date.parse(body.data[0]?.created_at ?? "")),
    )
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now())
  })

  it("GET /v1/events gives 50 events a page by default, and no cursor after the last page", async () => {
    expect((await list("")).body.data).toHaveLength(50)
    expect((await list("limit=78")).body.next_cursor).toBeNull()
    expect((await list("limit=77")).body.next_cursor).not.toBeNull()
  })

  const middle = () => feed[Math.floor(feed.length / 2)]?.created_at ?? ""
  /** Days are São Paulo's, which has no daylight saving time now. */
  const dayOf = (time: string) => new Date(Date.parse(time) - 3 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const today = () => dayOf(middle())
  const someId = () => charges[4]?.id ?? ""
  const isOf = (...types: ReadonlyArray<string>) => {
    return (event: Event) => types.includes(event.type)
  }
  const isOfFamily =
    (name: string) =>
    ({ type }: Event) =>
      type.startsWith(`${name}.`)

  it.each<readonly [what: string, query: () => string, matches: (event: Event) => boolean]>([
    ["a type", () => "types=transaction.paid", isOf("transaction.paid")],
    ["a rare type", () => "types=transaction.chargeback", isOf("transaction.chargeback")],
    [
      "several types",
      () => "types=transaction.failed,%20transaction.refunded",
      isOf("transaction.failed", "transaction.refunded"),
    ],
    ["a family", () => "types=transaction.*", isOfFamily("transaction")],
    ["families without events", () => "types=withdrawal.*,seller.*", () => false],
    ["a family and a type of it", () => "types=refund.*,refund.succeeded", isOfFamily("refund")],
    ["all types", () => "types=*", () => true],
    ["a resource type", () => "resource_type=transaction", isOfFamily("transaction")],
    ["a type of another resource", () => "resource_type=refund", isOfFamily("refund")],
    ["a resource type without events", () => "resource_type=withdrawal", () => false],
    ["a resource", () => `resource_id=${someId()}`, (event) => resourceOf(event) === someId()],
    ["an unknown resource", () => "resource_id=txn_00000000000000000000000000", () => false],
    ["a malformed resource id", () => "resource_id=x", () => false],
    ["a start time", () => `from=${middle()}`, ({ created_at }) => created_at >= middle()],
    ["an end time", () => `to=${middle()}`, ({ created_at }) => created_at <= middle()],
    ["a single moment", () => `from=${middle()}&to=${middle()}`, ({ created_at }) => created_at === middle()],
    ["today as the first day", () => `from=${today()}`, ({ created_at }) => dayOf(created_at) >= today()],
    ["today as the last day", () => `to=${today()}`, ({ created_at }) => dayOf(created_at) <= today()],
    ["today alone", () => `from=${today()}&to=${today()}`, ({ created_at }) => dayOf(created_at) === today()],
    ["an empty time range", () => "from=2030-01-01&to=2020-01-01", () => false],
    [
      "a resource and a type",
      () => `resource_id=${someId()}&types=transaction.paid`,
      (event) => resourceOf(event) === someId() && event.type === "transaction.paid",
    ],
    [
      "a resource and a type that is not its own",
      () => `resource_id=${someId()}&resource_type=withdrawal`,
      () => false,
    ],
    [
      "a resource and a start time",
      () => `resource_id=${someId()}&from=${middle()}`,
      (event) => resourceOf(event) === someId() && event.created_at >= middle(),
    ],
    [
      "all filters at once",
      () =>
        `resource_id=${someId()}&resource_type=transaction&types=transaction.*&from=2020-01-01&to=${middle()}`,
      (event) => resourceOf(event) === someId() && event.created_at <= middle(),
    ],
    [
      "types within a time range",
      () => `types=transaction.created,transaction.failed&from=2020-01-01&to=${middle()}`,
      (event) => isOf("transaction.created", "transaction.failed")(event) && event.created_at <= middle(),
    ],
  ])("GET /v1/events filters by %s", async (_, query, matches) => {
    const wanted = newestFirst(feed.filter(matches))
    for (const limit of [1, 3, 100]) {
      const found = await readAll<Event>(seller.test, "/v1/events", `${query()}&limit=${limit}`)
      expect(idsOf(found)).toEqual(wanted)
    }
  })

  it("GET /v1/events gives each event of the start once while new ones come", async () => {
    const one = await stage.newSeller()
    await Promise.all(Array.from({ length: 20 }, () => makeCharge(one.test)))
    const found: Array<Event> = []
    let cursor = ""
    do {
      const [page] = await Promise.all([
        list(`limit=3&types=*${cursor}`, one.test),
        makeCharge(one.test),
        makeCharge(one.test, { amount: 2_004 }),
      ])
      found.push(...page.body.data)
      cursor = page.body.next_cursor === null ? "" : `&cursor=${page.body.next_cursor}`
    } while (cursor !== "")
    // From the newest event of the first page down to the very first, without a gap or a repeat.
    const seqs = found.map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from(seqs, (_, index) => seqs.length - index))
  })

  it("GET /v1/events refuses a cursor of another list, seller, mode or filter, and an altered one", async () => {
    const cursor = (await list("limit=5&types=transaction.*")).body.next_cursor ?? ""
    expect((await list(`limit=9&types=transaction.*&cursor=${cursor}`)).status).toBe(200)
    const ofResource = (await list(`limit=1&resource_id=${someId()}`)).body.next_cursor ?? ""
    const other = await stage.newSeller()
    const foreign = [
      list(`cursor=${cursor}`),
      list(`types=transaction.paid&cursor=${cursor}`),
      list(`types=transaction.*&resource_type=transaction&cursor=${cursor}`),
      list(`types=transaction.*&cursor=${cursor}`, other.test),
      list(`types=transaction.*&cursor=${cursor}`, seller.live),
      list(`resource_id=${charges[0]?.id}&cursor=${ofResource}`),
      seller.test.get<Page<Event>>(`/v1/transactions?cursor=${cursor}`),
      ...alteredCursors(cursor).map((altered) => list(`limit=5&types=transaction.*&cursor=${altered}`)),
    ]
    for (const answer of await Promise.all(foreign)) {
      const { error } = answer.body as unknown as ErrorBody
      expect([answer.status, error.code, error.param]).toEqual([400, "invalid_cursor", "cursor"])
    }
  })

  it.each([
    ["types", "types="],
    ["types", "types=transaction.paid,,transaction.failed"],
    ["types", "types=transaction.paid;drop"],
    ["types", "types=Transaction.Paid"],
    ["types", "types=*.paid"],
    ["types", "types=transaction"],
    ["types", "types=transaction.frozen"],
    ["types", "types=transaction.paid,transactions.*"],
    ["types", `types=${"a,".repeat(50)}a`],
    ["resource_type", "resource_type=seller"],
    ["resource_type", "resource_type="],
    ["resource_id", "resource_id="],
    ["from", "from=soon"],
    ["to", "to="],
    ["to", "to=2026-02-30"],
    ["from", "from=2026-04-31T00:00Z"],
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["limit", "limit=5&limit=5"],
  ])("GET /v1/events answers 400 at %s for ?%s", async (param, query) => {
    const answer = await seller.test.get<ErrorBody>(`/v1/events?${query}`)
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      "validation_failed",
      param,
    ])
  })

  it.each([
    ["/v1/events", "types"],
    ["/events", "types"],
    ["/v1/webhook-deliveries", "event_type"],
  ])("GET %s lists the known types when one is unknown", async (path, param) => {
    for (const type of ["transaction.payed", "Transaction.Paid"]) {
      const { status, body } = await seller.test.get<ErrorBody>(`${path}?${param}=${type}`)
      expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", param])
      expect(body.error.message).toContain("transaction.paid")
      expect(body.error.details?.types).toEqual(expect.arrayContaining(["transaction.created", "ping"]))
    }
  })

  it("GET /v1/events accepts 50 types", async () => {
    const types = Array.from({ length: 50 }, () => "transaction.paid").join(",")
    expect((await list(`types=${types}`)).status).toBe(200)
  })
})

describe("GET /v1/events/{id}", () => {
  it("GET /v1/events/{id} shows an event as the list does", async () => {
    for (const event of feed.filter((_, index) => index % 5 === 0)) {
      expect((await seller.test.get<Event>(`/v1/events/${event.id}`)).body).toEqual(event)
    }
  })

  it("GET /v1/events/{id} is 404 for an event of another feed, or for an unknown id", async () => {
    const id = feed[10]?.id ?? ""
    const other = await stage.newSeller({ partition: seller.partition })
    await makeCharge(other.test)
    const wanted = [
      [seller.live, id],
      [other.test, id],
      [seller.test, (await list("", other.test)).body.data[0]?.id ?? ""],
      [seller.test, `evt_7${id.slice(5)}`],
      [seller.test, id.toLowerCase()],
      [seller.test, id.slice(0, -1)],
      [seller.test, charges[0]?.id ?? ""],
      [seller.test, "evt_"],
      [seller.test, "-"],
      [seller.test, "0-0"],
    ] as const
    for (const [client, one] of wanted) {
      const answer = await client.get<ErrorBody>(`/v1/events/${one}`)
      expect([one, answer.status, answer.body.error.code]).toEqual([one, 404, "resource_not_found"])
    }
  })
})

describe("GET /v1/event-types", () => {
  interface EventTypeInfo {
    readonly type: string
    readonly resource_type: string
    readonly internal: boolean
    readonly subscribable: boolean
    readonly description: string
    readonly schema: {
      readonly properties: Readonly<Record<string, unknown>>
      readonly required: Array<string>
    }
    readonly example: Event
    readonly feed_example: Event
  }

  it("GET /v1/event-types is the catalog, with a schema and an example of each type", async () => {
    const { status, body } = await seller.test.get<Page<EventTypeInfo>>("/v1/event-types")
    expect(status).toBe(200)
    const types = body.data.map(({ type }) => type)
    const families = {
      transaction: [
        ...["created", "paid", "expired", "failed", "exception"],
        ...["refunded", "partially_refunded", "chargeback"],
      ],
      refund: ["created", "succeeded", "failed"],
      withdrawal: [
        ...["awaiting", "approved", "rejected", "processing", "successful", "failed", "cancelled"],
        ...["returned", "debited"],
      ],
      exception: ["credited", "debited"],
      payment_link: ["paid"],
      seller: ["updated", "kyc_approved", "kyc_rejected", "payout_locked", "webhook_endpoint_disabled"],
    }
    const catalog = Object.entries(families).flatMap(([family, names]) =>
      names.map((name) => `${family}.${name}`),
    )
    expect(types.toSorted()).toEqual([...catalog, "ping"].toSorted())
    for (const info of body.data) {
      expect(info.example.type).toBe(info.type)
      expect(info.description).toMatch(/\.$/)
      expect(info.schema.properties).toMatchObject({ type: { const: info.type } })
      for (const name of info.schema.required) expect(Object.keys(info.example)).toContain(name)
      const internal = ["transaction.created", "refund.created"]
      expect(info.internal).toBe(internal.includes(info.type))
      expect(info.subscribable).toBe(![...internal, "ping"].includes(info.type))
    }
  })

  it("GET /v1/event-types has examples with every field of real events", async () => {
    const { body } = await seller.test.get<Page<EventTypeInfo>>("/v1/event-types")
    for (const event of feed.slice(-8)) {
      const info = body.data.find(({ type }) => type === event.type)
      const { internal: _, ...delivered } = event
      expect(Object.keys(info?.example ?? {})).toEqual(Object.keys(delivered))
      expect(Object.keys(info?.feed_example ?? {})).toEqual(Object.keys(event))
      expect(Object.keys(info?.example.data.object ?? {})).toEqual(Object.keys(event.data.object))
    }
  })
})
