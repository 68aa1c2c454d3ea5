// Follows the event feed and keeps every event, across restarts of either side.
//
//   API_KEY=sk_test_… node examples/follow-events.mjs
//
// API_KEY          the key of the seller and mode to follow
// API_URL          default http://localhost:3000
// EVENTS_FILE      where events are kept, one JSON line each, default events.jsonl
// CHECKPOINT_FILE  where the id of the last kept event is, default checkpoint
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { Corrente } from "@corrente/client"

const { API_KEY, API_URL = "http://localhost:3000" } = process.env
const { EVENTS_FILE = "events.jsonl", CHECKPOINT_FILE = "checkpoint" } = process.env
if (!API_KEY) throw new Error("API_KEY is not set")

/** Keeps an event. If the process dies between the two writes, it comes again: recognise it by its id or `seq`. */
const keep = (event) => {
  appendFileSync(EVENTS_FILE, `${JSON.stringify(event)}\n`, { flush: true })
  // Written to another file and renamed, so that the checkpoint is never half written.
  writeFileSync(`${CHECKPOINT_FILE}.new`, event.id, { flush: true })
  renameSync(`${CHECKPOINT_FILE}.new`, CHECKPOINT_FILE)
  console.log(`${event.seq} ${event.type} ${event.data.object.id}`)
}

const corrente = new Corrente({ apiKey: API_KEY, baseUrl: API_URL })

// No event has this id, so the first run begins with the oldest event that is kept.
const beforeAll = "0"
const checkpoint = existsSync(CHECKPOINT_FILE) ? readFileSync(CHECKPOINT_FILE, "utf8") : beforeAll

// Reconnects by itself, also after 45 s of silence. Ends only where the service refuses it, for example the key.
console.log(`following from ${checkpoint === beforeAll ? "the oldest event" : checkpoint}`)
for await (const event of corrente.events.subscribe({ after: checkpoint })) {
  if (event.type !== "replay_gap") keep(event)
  // The service no longer keeps the events after our checkpoint. examples/reconcile.mjs lists gaps by `seq`.
  else if (event.requested !== beforeAll) console.error(`events were missed: ${JSON.stringify(event)}`)
}
