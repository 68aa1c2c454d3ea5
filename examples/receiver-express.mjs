// A webhook receiver in Express, which verifies with the Standard Webhooks library.
//
//   npm install express standardwebhooks
//   WEBHOOK_SECRET=whsec_… node examples/receiver-express.mjs
//
// WEBHOOK_SECRET  the endpoint's secret, shown once when the endpoint is created or its secret rotated
// PORT            where to listen, default 4000. Put your TLS proxy in front: deliveries go to https URLs only
import express from "express"
import { Webhook } from "standardwebhooks"

const { WEBHOOK_SECRET, PORT = "4000" } = process.env
if (!WEBHOOK_SECRET) throw new Error("WEBHOOK_SECRET is not set")

const webhook = new Webhook(WEBHOOK_SECRET)
// Use a database table with the event's id as its key instead: a delivery may come twice.
const orders = new Map()
const seen = new Set()

/** What an event means for your shop. */
const handle = (event) => {
  const { object } = event.data
  // You asked for it to try this receiver: nothing has happened.
  if (event.test_event) return console.log(`test of ${event.type}`)
  if (event.type === "transaction.paid") orders.set(object.id, "paid")
  if (event.type === "transaction.refunded") orders.set(object.id, "refunded")
  console.log(`${event.type} ${object.id}`)
}

const app = express()

// `express.raw` rather than `express.json`, because the signature covers the raw bytes.
app.post("/webhooks", express.raw({ type: "application/json", limit: "1mb" }), (request, response) => {
  let event
  try {
    // Checks the signature, and that it is at most five minutes old.
    event = webhook.verify(request.body, request.headers)
  } catch {
    return response.sendStatus(401)
  }
  if (!seen.has(event.id)) {
    handle(event)
    seen.add(event.id)
  }
  // Answer within ten seconds. After any answer but a 2xx the service tries the delivery again.
  response.sendStatus(204)
})

const server = app.listen(Number(PORT), () => console.log(`Receiving on port ${server.address().port}`))
