// Reconciles the events you kept with the feed: checks that `seq` has no gaps, adds the events you missed, and sums up
// what was paid. Run it once a day on the file that a receiver or examples/follow-events.mjs writes.
//
//   API_KEY=sk_test_… node examples/reconcile.mjs
//
// API_URL defaults to http://localhost:3000, EVENTS_FILE to events.jsonl.
// Exit codes: 0 nothing was missing, 1 missing events were added to the file, 2 the feed has a gap or differs from it.
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { Corrente } from "@corrente/client"

const { API_KEY, API_URL = "http://localhost:3000", EVENTS_FILE = "events.jsonl" } = process.env
if (!API_KEY) throw new Error("API_KEY is not set")

const own = new Map()
for (const line of existsSync(EVENTS_FILE) ? readFileSync(EVENTS_FILE, "utf8").split("\n") : []) {
  if (line === "") continue
  const event = JSON.parse(line)
  own.set(event.id, event)
}

// The whole feed, newest first. `seq` is contiguous from 1 per seller and mode, so a gap means a lost event;
// events older than the service's retention are gone.
const corrente = new Corrente({ apiKey: API_KEY, baseUrl: API_URL })
const feed = []
for await (const event of corrente.events.list({ limit: 100 })) feed.push(event)
feed.reverse()

let unexplained = 0
for (const [i, event] of feed.entries()) {
  const previous = feed[i - 1]
  if (previous !== undefined && event.seq !== previous.seq + 1) {
    console.error(`the feed jumps from ${previous.seq} to ${event.seq}`)
    unexplained += 1
  }
  // A kept event must equal the feed's, byte for byte. A test event, which a receiver may have kept, is a ping in the feed.
  const kept = own.get(event.id)
  if (kept !== undefined && !kept.test_event && JSON.stringify(kept.data) !== JSON.stringify(event.data)) {
    console.error(`${event.id} differs from the event in the feed`)
    unexplained += 1
  }
}
const oldest = feed[0]?.seq ?? Number.POSITIVE_INFINITY
for (const { id, seq } of own.values()) {
  if (seq >= oldest && !feed.some((event) => event.id === id)) {
    console.error(`${id} is kept but is not in the feed`)
    unexplained += 1
  }
}

const missing = feed.filter(({ id }) => !own.has(id))
for (const event of missing) {
  appendFileSync(EVENTS_FILE, `${JSON.stringify(event)}\n`, { flush: true })
  own.set(event.id, event)
  console.log(`missing: ${event.seq} ${event.type} ${event.data.object.id}`)
}

const paid = [...own.values()].filter(({ type, test_event }) => type === "transaction.paid" && !test_event)
const sum = paid.reduce((total, { data }) => total + data.object.amount, 0)
console.log(
  `${own.size} events, ${missing.length} of them were missing; ${paid.length} charges paid, ${sum} centavos`,
)
process.exitCode = unexplained > 0 ? 2 : missing.length > 0 ? 1 : 0
