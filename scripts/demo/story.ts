import { Effect } from "effect"
import type { Event } from "../../schema/resources/event.ts"
import { makeAuthenticator } from "../../test/e2e/support/accountTotp.ts"
import { charge } from "./charge.ts"
import { DemoFailed, waitFor } from "./demoFailed.ts"
import { reais, short } from "./format.ts"
import { qrPicture } from "./qrPicture.ts"
import { isGenuine, type Received, startReceivers } from "./receivers.ts"
import { type DemoService, startService } from "./service.ts"
import { cookieHeaderOf, type DemoUser, signIn } from "./signIn.ts"
import { type Follower, follow } from "./stream.ts"
import type { Terminal } from "./terminal.ts"
import { keepSelling, liveAWeek } from "./visit/day.ts"
import type { Visit } from "./visit/visit.ts"

/** How fast things happen. The contract's retry schedule is 1 min, 5 min, 30 min, 2 h and 12 h. */
const paces = {
  calm: { simulatorDelayMillis: 2_000, retrySchedule: "2,3,3,3,3" },
  quick: { simulatorDelayMillis: 300, retrySchedule: "0.3,0.3,0.3,0.3,0.3" },
} as const
type Pace = (typeof paces)[keyof typeof paces]

/** The status of the receiver while it is down. */
const answersWhileDown = [500, 503]

const paths = { orders: "/orders", stock: "/stock" } as const

/** A receiver that is always down; only what stays gets it. */
const loyaltyPath = "/loyalty"

/** The back office follows these events. */
const followed = ["transaction.created", "transaction.paid"]

/** What the chapters share. */
interface Scene {
  readonly terminal: Terminal
  readonly pace: Pace
  readonly service: DemoService
  readonly sellerId: string
  readonly key: string
  readonly secrets: Readonly<Record<keyof typeof paths, string>>
  readonly endpointIds: Readonly<Record<keyof typeof paths, string>>
  readonly received: ReadonlyArray<Received>
  readonly receiversOrigin: string
  readonly user: DemoUser
  /** Tells of no more webhooks, and forgets those to come. */
  readonly hush: () => void
}

/** Starts everything, and creates a seller with two endpoints. */
const setTheScene = Effect.fnUntraced(function* (terminal: Terminal, pace: Pace) {
  yield* terminal.step("A service, a shop and its two webhook receivers")
  const received: Array<Received> = []
  const left = [...answersWhileDown]
  let isTelling = true
  const answer = (path: string) => {
    if (path === loyaltyPath) return 500
    return path === paths.stock ? (left.shift() ?? 200) : 200
  }
  const receivers = yield* startReceivers(answer, (one) => {
    if (!isTelling) return
    received.push(one)
    const { "x-event-type": type = "", "x-attempt": attempt } = one.headers
    terminal.event(one.path, `POST ${type}, attempt ${attempt}: answers ${one.status}`)
  })
  const service = yield* startService({
    SIMULATOR_DELAY_MS: String(pace.simulatorDelayMillis),
    RETRY_SCHEDULE_SECONDS: pace.retrySchedule,
    WEBHOOK_ALLOW_DESTINATIONS: receivers.origin,
    WEBHOOK_CA_FILE: receivers.caFile,
  })
  terminal.good(`the service listens on ${service.url}, on its own Redis`)
  const email = "ana@example.com"
  const password = "correct horse battery"
  const seller = yield* service.ops(
    ...["seller", "create", "--email", email, "--name", "Loja da Ana"],
    ...["--password", password],
  )
  const sellerId = String(seller.seller_id)
  const { test: key } = seller.api_keys as { readonly test: string }
  terminal.command("npm run --silent ops -- seller create --email ana@example.com --name 'Loja da Ana' …")
  terminal.good(`the seller ${sellerId}, with the API key ${key.slice(0, 12)}…`)
  const endpoint = (path: string) =>
    service.ops(
      ...["endpoint", "create", "--seller", sellerId, "--mode", "test"],
      ...["--url", receivers.origin + path, "--events", "transaction.paid"],
    )
  const [orders, stock] = yield* Effect.all([endpoint(paths.orders), endpoint(paths.stock)], {
    concurrency: 2,
  })
  terminal.command(
    `npm run --silent ops -- endpoint create --url ${receivers.origin}${paths.orders} --events transaction.paid …`,
  )
  terminal.good(`two webhook endpoints, ${paths.orders} and ${paths.stock}, each with its own secret`)
  return {
    terminal,
    pace,
    service,
    sellerId,
    key,
    secrets: { orders: String(orders.secret), stock: String(stock.secret) },
    endpointIds: { orders: String(orders.id), stock: String(stock.id) },
    received,
    receiversOrigin: receivers.origin,
    user: {
      name: "Ana, the merchant",
      email,
      password,
      authenticator: makeAuthenticator(String(seller.totp_secret)),
    },
    hush: () => {
      isTelling = false
    },
  } satisfies Scene
})

const openStream = Effect.fnUntraced(function* ({ terminal, service, key }: Scene) {
  yield* terminal.step("The back office follows the event stream: GET /events")
  const follower = yield* follow(service.url, key, followed, ({ type, id, seq, data }: Event) =>
    terminal.event(
      "/events",
      `${type.padEnd(19)} seq ${seq}  ${short(id)}  ${short(String(data.object.id))}`,
    ),
  )
  yield* waitFor("stream", () => follower.opened() || undefined)
  terminal.good("the stream is open and ready")
  return follower
})

const chargeAndPay = Effect.fnUntraced(function* (scene: Scene, follower: Follower) {
  const { terminal, pace, service, key } = scene
  yield* terminal.step(`A customer buys: POST /v1/transactions, ${reais(12_990)}`)
  const made = yield* charge(service, key, 12_990)
  terminal.good(`201 ${short(made.id)}, ${made.status}. pix.qr_base64 has a QR code for a phone to scan:`)
  terminal.picture(qrPicture(made.pix.qr_base64))
  terminal.say("pix.payload has the same code to copy and paste:")
  terminal.say(made.pix.payload)
  terminal.say(`In test mode a simulator pays, ${pace.simulatorDelayMillis / 1_000} s later.`)
  const isOf = (event: Event) => event.data.object.id === made.id && event.type === "transaction.paid"
  const paid = yield* waitFor("payment", () => follower.events.find(isOf))
  terminal.good(`received transaction.paid; paid_at ${String(paid.data.object.paid_at)}`)
  return paid
})

const verifyDelivery = Effect.fnUntraced(function* (scene: Scene, paid: Event) {
  const { terminal, received, secrets } = scene
  yield* terminal.step("The same event arrives as a signed webhook")
  const delivery = yield* waitFor("delivery", () =>
    received.find(({ path, headers }) => path === paths.orders && headers["x-event-id"] === paid.id),
  )
  for (const name of ["x-event-id", "x-delivery-id", "x-signature", "webhook-signature"]) {
    terminal.say(`${name}: ${delivery.headers[name]}`)
  }
  if (!isGenuine(secrets.orders, delivery.headers, delivery.body)) {
    return yield* new DemoFailed({ message: "the delivery's signature does not verify" })
  }
  terminal.good("the standardwebhooks library verifies it with the endpoint's secret")
  if (isGenuine(secrets.orders, delivery.headers, delivery.body.replace("12990", "12991"))) {
    return yield* new DemoFailed({ message: "an altered delivery verifies" })
  }
  terminal.good("and rejects it with one digit of the amount changed")
})

const awaitRetries = Effect.fnUntraced(function* (scene: Scene) {
  const { terminal, pace, service, key, received, endpointIds } = scene
  yield* terminal.step(`${paths.stock} is down: its delivery is retried`)
  terminal.say(
    `The schedule is 1 min, 5 min, 30 min, 2 h, 12 h; here RETRY_SCHEDULE_SECONDS=${pace.retrySchedule}.`,
  )
  yield* waitFor(
    "successful attempt",
    () => received.find(({ path, status }) => path === paths.stock && status === 200) && true,
  )
  const rows = yield* service
    .asMerchant(key, "the deliveries", (corrente, options) =>
      corrente.webhookDeliveries.list({ endpoint_id: endpointIds.stock }, options).page(),
    )
    .pipe(Effect.repeat({ until: ({ data }) => data.some(({ status }) => status === "success") }))
  terminal.say("GET /v1/webhook-deliveries has a row for each attempt:")
  for (const { attempt, status, error, response_ms, id } of rows.data.toReversed()) {
    const text = `attempt ${attempt}  ${status.padEnd(7)}  ${(error ?? "-").padEnd(8)}  ${response_ms} ms  ${short(id)}`
    if (status === "success") terminal.good(text)
    else terminal.bad(text)
  }
  terminal.say(`${paths.orders} did not wait: every endpoint has its own queue.`)
})

const reconnect = Effect.fnUntraced(function* (scene: Scene, follower: Follower) {
  const { terminal, service, key } = scene
  yield* terminal.step("The stream breaks while three more customers pay")
  const before = follower.events.length
  const openedBefore = follower.opened()
  follower.cut()
  const made = yield* Effect.forEach([1_990, 4_500, 25_000], (amount) => charge(service, key, amount))
  terminal.say(`connection cut; meanwhile ${made.map(({ amount }) => reais(amount)).join(", ")}`)
  yield* waitFor("reconnect", () => (follower.opened() > openedBefore ? true : undefined))
  terminal.good(`the client reconnected by itself, with Last-Event-ID: ${follower.lastEventIdSent()}`)
  const missed = made.length * 2
  yield* waitFor("missed events", () => (follower.events.length >= before + missed ? true : undefined))
  const seqs = follower.events.map(({ seq }) => seq)
  if (seqs.some((seq, index) => seq !== index + 1)) {
    return yield* new DemoFailed({ message: `the stream lost or repeated something: ${seqs.join(" ")}` })
  }
  terminal.good(`seq 1 to ${seqs.length}, each once: nothing lost, nothing repeated`)
})

const lookIntoRedis = Effect.fnUntraced(function* ({ terminal, service, sellerId }: Scene) {
  yield* terminal.step("Where to look next: everything is readable in Redis")
  const { data } = (yield* service.ops("streams", sellerId)) as {
    readonly data: ReadonlyArray<{ readonly family: string; readonly key: string; readonly command: string }>
  }
  const shown = data.filter(({ key }) => /^(events|txns|attempts|due):.*(:test|\})$/.test(key))
  if (shown.length === 0) return yield* new DemoFailed({ message: "ops streams lists no keys" })
  for (const { command } of shown) terminal.command(command)
  terminal.command(`DATA_DIR='${service.dataDir}' npm run --silent ops -- streams ${sellerId}`)
  terminal.say(`The last command lists all keys; ${service.url}/docs is the API.`)
})

/** Fills the shop with a week, and goes on selling while somebody looks around. */
const stay = Effect.fnUntraced(function* (scene: Scene) {
  const { terminal, service, key, user, hush, sellerId, receiversOrigin } = scene
  yield* terminal.step("A week of the shop, by its test clock")
  hush()
  yield* service.ops(
    ...["endpoint", "create", "--seller", sellerId, "--mode", "test"],
    ...["--url", receiversOrigin + loyaltyPath, "--events", "refund.succeeded,transaction.refunded"],
  )
  const shop = { service, key, cookie: cookieHeaderOf(yield* signIn(service, user)) }
  const sold = yield* liveAWeek(shop)
  terminal.good(`${sold} sales in a week: paid, expired, failed, refunded, charged back; five payouts`)
  terminal.good(`${loyaltyPath} is down for good: its deliveries end as dead`)
  yield* Effect.forkScoped(keepSelling(shop, sold))
  terminal.say("A customer buys every few seconds from now on.")
  return { service, users: [user] } satisfies Visit
})

/**
 * Tells the story from a charge to its webhooks in the terminal. Everything it starts ends with the scope. With `stays`, lives a week
 * more, and returns where to look around.
 */
export const tellStory = Effect.fnUntraced(function* (
  terminal: Terminal,
  pace: keyof typeof paces,
  stays: boolean,
) {
  terminal.title("Corrente: from a PIX charge to a verified webhook, in half a minute")
  const scene = yield* setTheScene(terminal, paces[pace])
  yield* Effect.scoped(
    Effect.gen(function* () {
      const follower = yield* openStream(scene)
      const paid = yield* chargeAndPay(scene, follower)
      yield* verifyDelivery(scene, paid)
      yield* awaitRetries(scene)
      yield* reconnect(scene, follower)
    }),
  )
  yield* lookIntoRedis(scene)
  return stays ? yield* stay(scene) : { service: scene.service, users: [scene.user] }
})
