// Follows the event feed and keeps every event, across restarts of either side. No packages.
//
//   API_KEY=sk_test_… node examples/follow-events.mjs
//
// API_KEY          the key of the seller and mode to follow
// API_URL          default http://localhost:3000
// EVENTS_FILE      where events are kept, one JSON line each, default events.jsonl
// CHECKPOINT_FILE  where the id of the last kept event is, default checkpoint
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const { API_KEY, API_URL = "http://localhost:3000" } = process.env
const { EVENTS_FILE = "events.jsonl", CHECKPOINT_FILE = "checkpoint" } = process.env
if (!API_KEY) throw new Error("API_KEY is not set")

/** Pings come every 15 s: a connection that is silent for longer is dead, even if nobody closed it. */
const silenceMillisMax = 45_000
const retryMillisMax = 30_000

let checkpoint = existsSync(CHECKPOINT_FILE) ? readFileSync(CHECKPOINT_FILE, "utf8") : undefined

/** Keeps an event. If the process dies between the two writes, it comes again: recognise it by its id or `seq`. */
const keep = (event) => {
  appendFileSync(EVENTS_FILE, `${JSON.stringify(event)}\n`, { flush: true })
  // Written to another file and renamed, so that the checkpoint is never half written.
  writeFileSync(`${CHECKPOINT_FILE}.new`, event.id, { flush: true })
  renameSync(`${CHECKPOINT_FILE}.new`, CHECKPOINT_FILE)
  checkpoint = event.id
  console.log(`${event.seq} ${event.type} ${event.data.object.id}`)
}

/** Splits a stream of Server-Sent Events into frames; comments (the pings) only keep the stream alive. */
async function* framesOf(body, onBytes) {
  const decoder = new TextDecoder()
  let text = ""
  for await (const bytes of body) {
    onBytes()
    text += decoder.decode(bytes, { stream: true })
    const parts = text.split("\n\n")
    text = parts.pop()
    for (const part of parts) {
      const frame = {}
      for (const line of part.split("\n")) {
        const colon = line.indexOf(":")
        if (colon > 0) frame[line.slice(0, colon)] = line.slice(colon + 1).trimStart()
      }
      yield frame
    }
  }
}

/** Reads one connection to its end; returns how long to wait before reconnecting. */
const readStream = async () => {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(new Error("the stream fell silent")), silenceMillisMax)
  try {
    const response = await fetch(`${API_URL}/events`, {
      headers: {
        Authorization: `Bearer ${API_KEY}`,
        Accept: "text/event-stream",
        // The stream resumes after this event. Without the header it starts with the next event to happen.
        ...(checkpoint === undefined ? {} : { "Last-Event-ID": checkpoint }),
      },
      signal: silence.signal,
    })
    if (response.status === 401) throw Object.assign(new Error("the key is not valid"), { isFinal: true })
    if (!response.ok) return Number(response.headers.get("retry-after") ?? 5) * 1_000
    let retryMillis = 1_000
    for await (const frame of framesOf(response.body, () => timer.refresh())) {
      if (frame.retry !== undefined) retryMillis = Number(frame.retry)
      if (frame.event === "ready") console.log("following")
      else if (frame.id !== undefined) keep(JSON.parse(frame.data))
      // The service no longer keeps the events after our checkpoint. examples/reconcile.mjs lists gaps by `seq`.
      else if (frame.event === "replay_gap") console.error(`events were missed: ${frame.data}`)
    }
    return retryMillis
  } finally {
    clearTimeout(timer)
  }
}

for (let failures = 0; ; ) {
  try {
    await sleep(await readStream())
    failures = 0
  } catch (error) {
    if (error.isFinal) throw error
    console.error(`${error.message}; trying again`)
    await sleep(Math.min(retryMillisMax, 500 * 2 ** failures++))
  }
}
