// A webhook receiver in plain Node: no packages.
//
//   WEBHOOK_SECRET=whsec_… node examples/receiver-http.mjs
//
// WEBHOOK_SECRET  the endpoint's secret, shown once when the endpoint is created or its secret rotated
// PORT            where to listen, default 4000. Put your TLS proxy in front: deliveries go to https URLs only. On your
//                 machine, `corrente listen` posts there and prints the secret (docs/cli.md)
// EVENTS_FILE     where events are kept, one JSON line each, default events.jsonl
import { createHmac, timingSafeEqual } from "node:crypto"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"

const { WEBHOOK_SECRET, PORT = "4000", EVENTS_FILE = "events.jsonl" } = process.env
if (!WEBHOOK_SECRET) throw new Error("WEBHOOK_SECRET is not set")

const bodyBytesMax = 1024 * 1024
const ageSecondsMax = 300

/** Whether `X-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]` is a recent signature of these bytes with our secret. */
const isSigned = (header, rawBody) => {
  const [time = "", ...signatures] = (header ?? "").split(",").map((part) => part.split("=")[1] ?? "")
  // An old request may be a replay.
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= ageSecondsMax)) return false
  const expected = createHmac("sha256", WEBHOOK_SECRET).update(`${time}.`).update(rawBody).digest()
  // For 24 h after a rotation there are two signatures, one per secret, new and old: one match is enough.
  return signatures.some((hex) => {
    const signature = Buffer.from(hex, "hex")
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

// A delivery may come twice, because the answer to the first may have been lost: the event's id shows it.
const seen = new Set(
  existsSync(EVENTS_FILE)
    ? readFileSync(EVENTS_FILE, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).id)
    : [],
)

const readBody = async (request) => {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const answer = (status) => response.writeHead(status).end()
  try {
    if (request.method !== "POST") return answer(405)
    // Verify the raw bytes before you parse them: JSON that is serialized again may have other bytes.
    const rawBody = await readBody(request)
    if (rawBody === undefined) return answer(413)
    if (!isSigned(request.headers["x-signature"], rawBody)) return answer(401)
    const event = JSON.parse(rawBody.toString("utf8"))
    if (!seen.has(event.id)) {
      // Keep the event first, then answer 2xx, and do the work afterwards: you have ten seconds to answer.
      // After any other answer the service tries again, after 1 min, 5 min, 30 min, 2 h and 12 h.
      appendFileSync(EVENTS_FILE, `${JSON.stringify(event)}\n`, { flush: true })
      seen.add(event.id)
      console.log(`${event.type} ${event.data.object.id}`)
    }
    answer(204)
  } catch (error) {
    console.error(error)
    if (!response.headersSent) answer(500)
  }
})
server.listen(Number(PORT), () => console.log(`Receiving on port ${server.address().port}`))
