import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { triggeredTypes } from "../../cli/triggers.ts"
import type { Event } from "../../schema/resources/event.ts"
import { allEvents, chargeBody, getCharge, makeCharge } from "../e2e/support/charges.ts"
import type { Client } from "../e2e/support/client.ts"
import { openStage, type Seller, type Stage } from "../e2e/support/stage.ts"
import { makePixKey } from "../support/pixKey.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"
import { until } from "../support/until.ts"
import { type LocalReceiver, startLocalReceiver } from "./support/localReceiver.ts"
import { runCli, startCli } from "./support/runCli.ts"
import { type RunningBin, startBin } from "./support/startBin.ts"
import { startWayToService } from "./support/wayToService.ts"

let stage: Stage
let receiver: LocalReceiver
beforeAll(async () => {
  // Nothing happens by itself: tests advance the clock, or act.
  stage = await openStage({ SIMULATOR_DELAY_MS: "60000" })
})
afterAll(() => stage?.close())
beforeEach(async () => {
  receiver = await startLocalReceiver()
})
afterEach(() => receiver?.stop())

const environmentOf = ({ keys }: Seller, mode: "test" | "live" = "test") => ({
  CORRENTE_API_KEY: keys[mode],
  CORRENTE_BASE_URL: stage.service.url,
})

const paidCharge = async (client: Client): Promise<string> => {
  const { id } = await makeCharge(client)
  const { status, text } = await client.post(`/v1/test/transactions/${id}/pay`)
  if (status !== 200) throw new Error(`the charge was not paid: ${text}`)
  return id
}

const receivedIds = () => receiver.requests.map(({ headers }) => headers["x-event-id"])
const idsOf = (events: ReadonlyArray<Event>) => events.map(({ id }) => id)
const delivered = async (client: Client) => (await allEvents(client)).filter(({ internal }) => !internal)

const ready = async (bin: RunningBin): Promise<string> => {
  await until(
    () => `listen to be ready: ${bin.stderr()}`,
    () => bin.linesOf("ready").length === 1,
  )
  return String(bin.linesOf("ready")[0]?.secret)
}

describe("listen", () => {
  it("listen forwards what is delivered, with both signatures, and ends by Ctrl-C with a summary", async () => {
    const seller = await stage.newSeller()
    const bin = startBin(["listen", "--forward-to", receiver.url], environmentOf(seller))
    const secret = await ready(bin)
    await paidCharge(seller.test)
    await until("the event", () => bin.linesOf("forwarded").length === 1)
    bin.signal("SIGINT")
    bin.signal("SIGINT")
    expect([await bin.ended, bin.stderr()]).toEqual([0, ""])

    const [event] = await delivered(seller.test)
    const [request] = receiver.requests
    if (event === undefined || request === undefined) throw new Error("nothing was forwarded")
    const { internal: _, ...payload } = event
    expect(JSON.parse(request.body)).toEqual(payload)
    expect(
      Stripe.webhooks.constructEvent(request.body, String(request.headers["x-signature"]), secret),
    ).toEqual(payload)
    expect(new Webhook(secret).verify(request.body, request.headers as Record<string, string>)).toEqual(
      payload,
    )
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Service-Webhooks/1.0",
      "x-event-id": event.id,
      "x-event-type": "transaction.paid",
      "x-attempt": "1",
      "idempotency-key": event.id,
      traceparent: expect.stringMatching(new RegExp(`^00-${event.trace_id}-[0-9a-f]{16}-01$`)),
      "x-delivery-id": expect.stringMatching(/^whd_/),
    })
    expect(bin.lines().map(({ line }) => line)).toEqual(["ready", "forwarded", "summary"])
    expect(bin.lines().at(-1)).toMatchObject({ forwarded: 1, failed: 0, last_event_id: event.id })
    const again = await runCli(["listen", "--print-secret"], environmentOf(seller))
    expect(again.stdout).toBe(`${secret}\n`)
    expect(JSON.stringify(bin.lines())).not.toContain(seller.keys.test)
  })

  it("listen forwards what has happened since its start, while it was connecting too, and nothing from before", async () => {
    const proxy = await startTcpProxy(stage.service.port)
    onTestFinished(proxy.close)
    const seller = await stage.newSeller()
    await paidCharge(seller.test)
    const [earlier] = await delivered(seller.test)
    // Longer before the start than an answer takes to be read on a busy machine.
    const isOver = () => Date.now() - Date.parse(earlier?.created_at ?? "") > 1_000
    await until("the first event to be over", isOver)
    proxy.hold()
    const environment = { ...environmentOf(seller), CORRENTE_BASE_URL: `http://127.0.0.1:${proxy.port}` }
    const bin = startBin(["listen", "--forward-to", receiver.url], environment)
    await until("listen to connect", () => proxy.held() === 1)
    for (let count = 0; count < 3; count++) await paidCharge(seller.test)
    proxy.release()
    await ready(bin)
    await paidCharge(seller.test)
    await until("the events", () => receiver.requests.length >= 4)
    bin.signal("SIGINT")
    expect(await bin.ended).toBe(0)
    const [, ...later] = idsOf(await delivered(seller.test))
    expect(receivedIds()).toEqual(later)
    expect(bin.linesOf("replay_gap")).toEqual([])
    const told = [bin.linesOf("ready")[0]?.last_event_id, bin.linesOf("summary")[0]?.last_event_id]
    expect(told).toEqual([earlier?.id, later.at(-1)])
  })

  it("listen forwards the first events of a feed that happen while it connects", async () => {
    const proxy = await startTcpProxy(stage.service.port)
    onTestFinished(proxy.close)
    const seller = await stage.newSeller()
    proxy.hold()
    const environment = { ...environmentOf(seller), CORRENTE_BASE_URL: `http://127.0.0.1:${proxy.port}` }
    const listening = startCli(["listen", "--internal", "--json", "--forward-to", receiver.url], environment)
    await until("listen to connect", () => proxy.held() === 1)
    await paidCharge(seller.test)
    proxy.release()
    await until("the events", () => receiver.requests.length >= 2)
    const { exitCode, objects } = await listening.stop()
    expect(exitCode).toBe(0)
    expect(receivedIds()).toEqual(idsOf(await allEvents(seller.test)))
    expect(objects().map(({ line }) => line)).toEqual(["ready", "forwarded", "forwarded", "summary"])
  })

  it("listen --retry loses and repeats nothing while the receiver and the service restart", async () => {
    const seller = await stage.newSeller()
    const bin = startBin(["listen", "--retry", "--forward-to", receiver.url], environmentOf(seller))
    await ready(bin)
    await paidCharge(seller.test)
    await until("the first event", () => receiver.requests.length === 1)

    await receiver.stop()
    await paidCharge(seller.test)
    await until("a failed post", () => bin.linesOf("failed").length > 0)
    await stage.service.restart()
    await paidCharge(seller.test)
    await paidCharge(seller.test)
    await receiver.start()
    await until(
      () => `4 events; ${JSON.stringify(bin.lines().slice(-3))}`,
      () => receiver.requests.length >= 4,
    )
    await stage.service.restart()
    await until("listen to be connected again", () => bin.linesOf("connected").length >= 2)
    await paidCharge(seller.test)
    await until("the last event", () => receiver.requests.length >= 5)
    bin.signal("SIGINT")
    expect(await bin.ended).toBe(0)

    expect(receivedIds()).toEqual(idsOf(await delivered(seller.test)))
    expect(bin.linesOf("failed")[0]).toMatchObject({
      error: "connection_error",
      status: null,
      next: "trying again",
    })
    expect(bin.linesOf("summary")).toMatchObject([{ forwarded: 5, failed: 0 }])
  })

  it("listen goes on after --since, tells a failed post with its event and does not repeat it", async () => {
    const seller = await stage.newSeller()
    for (let i = 0; i < 3; i += 1) await paidCharge(seller.test)
    const [first, ...later] = await delivered(seller.test)
    receiver.answerWith(500, {}, "TypeError: order is undefined\n    at line 1")
    const args = ["listen", "--json", "--since", first?.id ?? "", "--forward-to", receiver.url]
    const listening = startCli(args, environmentOf(seller))
    await until("both events", () => listening.objects().length === 3)
    const { exitCode, objects } = await listening.stop()
    expect(exitCode).toBe(0)
    expect(receivedIds()).toEqual(idsOf(later))
    expect(objects().slice(1)).toMatchObject([
      ...later.map(({ id }) => ({
        line: "failed",
        event_id: id,
        status: 500,
        error: "http_500",
        excerpt: "TypeError: order is undefined\n    at line 1",
        next: "not repeated",
      })),
      {
        line: "summary",
        forwarded: 0,
        failed: 2,
        failed_event_ids: idsOf(later),
        last_event_id: later[1]?.id,
      },
    ])
  })

  it("listen forwards internal events with --internal, and only the types of --events", async () => {
    const seller = await stage.newSeller()
    const environment = environmentOf(seller)
    const forwardTo = ["--json", "--forward-to", receiver.url]
    const all = startCli(["listen", "--internal", ...forwardTo], environment)
    const paid = startCli(["listen", "--events", "transaction.paid,withdrawal.*", ...forwardTo], environment)
    await until("both", () => all.objects().length === 1 && paid.objects().length === 1)
    const id = await paidCharge(seller.test)
    await seller.test.post(`/v1/test/transactions/${id}/refund`)
    await until("all events", () => all.objects().length === 5 && paid.objects().length === 2)
    const typesOf = async (listening: typeof all) =>
      (await listening.stop())
        .objects()
        .flatMap(({ event_type }) => (event_type === undefined ? [] : [event_type]))
    expect(await typesOf(all)).toEqual((await allEvents(seller.test)).map(({ type }) => type))
    expect(await typesOf(paid)).toEqual(["transaction.paid"])
  })

  it("listen ends once the post under way is answered, and counts it", async () => {
    const seller = await stage.newSeller()
    let release = () => {}
    receiver.holdUntil(new Promise((done) => (release = done)))
    const listening = startCli(["listen", "--json", "--forward-to", receiver.url], environmentOf(seller))
    await until("ready", () => listening.objects().length === 1)
    await paidCharge(seller.test)
    await until("the post", () => receiver.requests.length === 1)
    const stopped = listening.stop()
    release()
    expect((await stopped).objects().slice(1)).toMatchObject([
      { line: "forwarded" },
      { line: "summary", forwarded: 1, pending_event_id: null },
    ])
  })

  it("listen says in words that events are missing, and goes on", async () => {
    const seller = await stage.newSeller()
    await paidCharge(seller.test)
    const args = ["listen", "--since", "evt_unknown", "--forward-to", receiver.url]
    const people = startCli(args, environmentOf(seller))
    await until("the oldest event", () => receiver.requests.length === 1)
    const { stdout } = await people.stop()
    expect(stdout).toContain("Events after evt_unknown are missing")
    expect(stdout).toMatch(/transaction\.paid +evt_\w+ → 204 \d+ ms/)
    const [oldest] = await allEvents(seller.test)
    const machines = startCli([...args, "--json"], environmentOf(seller))
    await until("the oldest event", () => receiver.requests.length === 2)
    expect((await machines.stop()).objects()[1]).toEqual({
      line: "replay_gap",
      requested: "evt_unknown",
      oldest_event_id: oldest?.id,
    })
  })

  it("listen exits 3 when the service does not know the key", async () => {
    const environment = { ...environmentOf(await stage.newSeller()), CORRENTE_API_KEY: "sk_test_wrong" }
    const { exitCode, objects } = await runCli(
      ["listen", "--json", "--forward-to", receiver.url],
      environment,
    )
    expect([exitCode, objects()]).toMatchObject([3, [{ error: { code: "invalid_api_key" }, exit_code: 3 }]])
  })
})

describe("resend", () => {
  it("resend posts an event once more, signed as by listen", async () => {
    const seller = await stage.newSeller()
    await paidCharge(seller.test)
    const [event] = await delivered(seller.test)
    const args = ["resend", event?.id ?? "", "--forward-to", receiver.url, "--json"]
    const { exitCode, objects } = await runCli(args, environmentOf(seller))
    expect([exitCode, objects()]).toMatchObject([
      0,
      [{ line: "forwarded", event_id: event?.id, status: 204 }],
    ])
    const secret = (await runCli(["listen", "--print-secret"], environmentOf(seller))).stdout.trim()
    const [request] = receiver.requests
    const { headers, body = "" } = request ?? {}
    expect(Stripe.webhooks.constructEvent(body, String(headers?.["x-signature"]), secret).id).toBe(event?.id)
  })

  it("resend exits 5 when the receiver is away, redirects or refuses, and 1 when there is no such event", async () => {
    const seller = await stage.newSeller()
    await paidCharge(seller.test)
    const [event] = await delivered(seller.test)
    const run = async (id = event?.id ?? "") => {
      const args = ["resend", id, "--forward-to", receiver.url, "--json"]
      const { exitCode, objects } = await runCli(args, environmentOf(seller))
      const { error } = objects().at(-1) as {
        readonly error: { readonly code: string; readonly message: string }
      }
      return [exitCode, error.code, error.message]
    }
    receiver.answerWith(401, {}, "bad signature")
    expect(await run()).toEqual([5, "http_401", `${receiver.url} answered 401, not 2xx.`])
    receiver.answerWith(307, { location: receiver.url })
    expect(await run()).toEqual([5, "redirect_not_followed", `${receiver.url} answered 307, not 2xx.`])
    expect(receiver.requests).toHaveLength(2)
    await receiver.stop()
    expect(await run()).toEqual([5, "connection_error", expect.stringContaining("Is the receiver running?")])
    expect(await run("evt_unknown")).toEqual([1, "resource_not_found", expect.any(String)])
  })
})

describe("trigger", () => {
  it("trigger makes an event of every type that it names", async () => {
    const seller = await stage.newSeller()
    const made: Array<unknown> = []
    for (const type of triggeredTypes) {
      const isOfWithdrawal = type.startsWith("withdrawal.")
      // One withdrawal at a time.
      const owner = isOfWithdrawal ? await stage.newSeller() : seller
      if (isOfWithdrawal) await makePixKey(stage, owner, "test")
      const { exitCode, objects } = await runCli(["trigger", type, "--json"], environmentOf(owner))
      const [event] = objects()
      made.push([exitCode, event?.type])
      const known = await owner.test.get<Event>(`/v1/events/${event?.id}`)
      expect(event, type).toEqual(known.body)
    }
    expect(made).toEqual(triggeredTypes.map((type) => [0, type]))
  })

  it("trigger of a withdrawal exits 1 without a Pix key, and says what is missing", async () => {
    const seller = await stage.newSeller()
    const { exitCode, stderr } = await runCli(["trigger", "withdrawal.failed"], environmentOf(seller))
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("no verified Pix key")])
  })
})

describe("charge create, advance and events", () => {
  it("charge create prints the code, advance 1m lets the simulator pay it, and events lists and follows", async () => {
    const seller = await stage.newSeller()
    const environment = environmentOf(seller)
    const run = async (...args: ReadonlyArray<string>) => {
      const { exitCode, objects, stderr } = await runCli([...args, "--json"], environment)
      expect([exitCode, stderr], args.join(" ")).toEqual([0, ""])
      return objects()
    }
    const once = ["--idempotency-key", "order-1"]
    const [charge] = await run("charge", "create", "--amount", "12990", "--expires-in", "2h", ...once)
    expect(charge).toEqual((await getCharge(seller.test, String(charge?.id))).body)
    const [same] = await run("charge", "create", "--amount", "12990", "--expires-in", "2h", ...once)
    expect(same?.id).toBe(charge?.id)

    const following = startCli(["events", "--follow", "--limit", "1", "--json"], environment)
    await until("the newest event", () => following.objects().length === 1)
    expect(await run("advance", "1m")).toMatchObject([{ advanced_seconds: 60 }])
    const statusNow = async () => (await getCharge(seller.test, String(charge?.id))).body.status
    await until("the payment", async () => (await statusNow()) === "paid")
    await until("the next event", () => following.objects().length === 2)
    const events = await allEvents(seller.test)
    expect(await following.stop()).toMatchObject({ exitCode: 0, stderr: "" })
    expect(following.objects()).toEqual(events)
    expect(await run("events")).toEqual(events)
    expect(await run("events", "--types", "transaction.paid")).toEqual(events.slice(1))
  })

  it.for([
    { which: "all types", flags: [] },
    { which: "one type", flags: ["--types", "transaction.paid"] },
  ])(
    "events --follow of $which shows once what happens while it connects, in an empty feed too",
    async ({ flags }, context) => {
      for (const moment of [1, 2, 3]) {
        const seller = await stage.newSeller()
        let requests = 0
        let hasHappened = false
        const way = await startWayToService(stage.service.port, async () => {
          if (++requests === moment) hasHappened = (await paidCharge(seller.test)) !== ""
          return undefined
        })
        context.onTestFinished(way.close)
        const environment = { ...environmentOf(seller), CORRENTE_BASE_URL: way.url }
        const following = startCli(["events", "--follow", "--json", ...flags], environment)
        await until("it to connect", () => hasHappened)
        await paidCharge(seller.test)
        const all = await allEvents(seller.test)
        const wanted = all.filter(({ type }) => flags.length === 0 || type === "transaction.paid")
        await until("the last event", () => following.objects().at(-1)?.id === wanted.at(-1)?.id)
        const { objects } = await following.stop()
        expect(objects(), `request ${moment}`).toEqual(wanted)
      }
    },
  )

  it("events goes on where a page of few types is short, until it has as many as it lists", async (context) => {
    const seller = await stage.newSeller()
    for (let i = 0; i < 3; i++) await paidCharge(seller.test)
    const asked: Array<string | null> = []
    const way = await startWayToService(stage.service.port, async ({ searchParams }) => {
      asked.push(searchParams.get("cursor"))
      // As where it has examined so many entries that another request is to go on.
      if (asked.length === 1) return { data: [], next_cursor: "further" }
      if (asked.length === 2) searchParams.delete("cursor")
      // Then a page of one, whatever the limit.
      searchParams.set("limit", "1")
      return undefined
    })
    context.onTestFinished(way.close)
    const environment = { ...environmentOf(seller), CORRENTE_BASE_URL: way.url }
    const args = ["events", "--types", "transaction.paid", "--limit", "2", "--json"]
    const { objects } = await runCli(args, environment)
    const paid = (await allEvents(seller.test)).filter(({ type }) => type === "transaction.paid")
    expect(objects()).toEqual(paid.slice(1))
    expect(asked).toEqual([null, "further", expect.any(String)])
  })

  it("people see amount, code, QR code and timing of a charge, and one line an event", async () => {
    const seller = await stage.newSeller()
    const environment = { ...environmentOf(seller), NO_COLOR: "1" }
    const shown = await runCli(["charge", "create", "--amount", "12990"], environment, true)
    const [event] = await allEvents(seller.test)
    const { id, pix } = (event?.data.object ?? {}) as {
      readonly id: string
      readonly pix: { readonly payload: string }
    }
    expect(shown.stdout).toMatch(new RegExp(`^${id} {2}R\\$ 129,90 {2}pending, expires .*Z {2}\\d+ ms\n`))
    expect(shown.stdout).toContain(`Copy and paste:\n${pix.payload}\n`)
    expect(shown.stdout).toMatch(/Payment page:\nhttp:\S+\/pay\/\S+\n/)
    expect(shown.stdout).toContain("█▀")
    const plain = await runCli(["charge", "create", "--amount", "12990"], environment)
    expect(plain.stdout).not.toContain("█")
    const listed = await runCli(["events", "--limit", "1"], environment)
    expect(listed.stdout).toMatch(/^\d\d:\d\d:\d\d transaction\.created +evt_\w+ {2}txn_\w+ pending {2}#2\n$/)
  })

  it("a refused call exits 1, with the service's code and the request's id", async () => {
    const seller = await stage.newSeller()
    const args = ["charge", "create", "--amount", "12903"]
    const { exitCode, objects } = await runCli([...args, "--json"], environmentOf(seller))
    expect(objects()).toMatchObject([
      { error: { code: "acquirer_error", request_id: expect.stringMatching(/^req_/) } },
    ])
    expect([exitCode, objects()[0]?.exit_code]).toEqual([1, 1])
    const zero = await runCli(["charge", "create", "--amount", "0"], environmentOf(seller))
    expect([zero.exitCode, zero.stderr]).toEqual([1, expect.stringContaining("amount")])
  })

  it("a charge has the reference, the description and the way back that are given", async () => {
    const seller = await stage.newSeller()
    const args = [
      ...["charge", "create", "--amount", "12990", "--reference", "A-1001", "--description", "Two mugs"],
      ...["--show-on-page", "--return-url", "https://shop.example/thanks", "--json"],
    ]
    const { objects } = await runCli(args, environmentOf(seller))
    expect(objects()).toMatchObject([
      {
        reference: "A-1001",
        description: "Two mugs",
        show_on_page: true,
        return_url: "https://shop.example/thanks",
      },
    ])
    const plain = await runCli(["charge", "create", "--amount", "12990", "--json"], environmentOf(seller))
    expect(plain.objects()).toMatchObject([
      { reference: null, description: null, show_on_page: false, return_url: null, postback_url: null },
    ])
    const refused = await runCli([...args.slice(0, 5), "x".repeat(65)], environmentOf(seller))
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("reference")])
  })

  it("a live key makes a real charge with its customer", async () => {
    const seller = await stage.newSeller()
    const { customer } = chargeBody()
    const who = ["--name", customer.name, "--email", customer.email, "--document", customer.document]
    const args = ["charge", "create", "--amount", "12990", ...who, "--json"]
    const { exitCode, objects } = await runCli(args, environmentOf(seller, "live"))
    expect([exitCode, objects()[0]?.mode]).toEqual([0, "live"])
  })
})
