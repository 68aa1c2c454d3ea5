// Consumes the events of an endpoint that is a Redis Stream: verifies each, handles it once, and goes on where it was.
//
//   npm install ioredis standardwebhooks
//   REDIS_URL=rediss://user:password@host:port STREAM=events WEBHOOK_SECRET=whsec_… node examples/redis-stream.mjs
//
// REDIS_URL       your Redis. This user reads: XGROUP, XREADGROUP, XACK, EXISTS, SET. The endpoint's user needs XADD alone
// STREAM          the stream in the endpoint's url
// WEBHOOK_SECRET  the endpoint's secret, shown once when the endpoint is created or its secret rotated
// CONSUMER        the name of this consumer, default "one". Several share the work under names of their own
import { timingSafeEqual } from "node:crypto"
import { Redis } from "ioredis"
import { Webhook } from "standardwebhooks"

const { REDIS_URL, STREAM, WEBHOOK_SECRET, CONSUMER = "one" } = process.env
if (!REDIS_URL || !STREAM || !WEBHOOK_SECRET)
  throw new Error("REDIS_URL, STREAM or WEBHOOK_SECRET is not set")

const group = "shop"
const weekSeconds = 7 * 24 * 60 * 60
const webhook = new Webhook(WEBHOOK_SECRET)
const redis = new Redis(REDIS_URL)

/** What an event means for your shop. A crash right after it repeats it, so it must do no harm twice. */
const handle = async (event) => {
  // You asked for it to try this consumer: nothing has happened.
  if (event.test_event) return console.log(`test of ${event.type}`)
  console.log(`${event.type} ${event.data.object.id}`)
}

/**
 * Whether the service signed an entry. `verify` of the library would refuse what is older than five minutes, but an entry may wait here
 * for hours: nobody can put an old one in again who may not write to the stream.
 */
const isSigned = (entry) => {
  const signedAt = new Date(Number(entry["webhook-timestamp"]) * 1000)
  const expected = Buffer.from(webhook.sign(entry["webhook-id"], signedAt, entry.body))
  // Two while a secret is being rotated.
  return entry["webhook-signature"].split(" ").some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const consume = async (id, fields) => {
  // Trimmed by maxlen before it was read.
  if (fields === null) return redis.xack(STREAM, group, id)
  const entry = {}
  for (let i = 0; i < fields.length; i += 2) entry[fields[i]] = fields[i + 1]
  if (!isSigned(entry)) {
    console.log(`refused ${id}: no signature of the service`)
    return redis.xack(STREAM, group, id)
  }
  const seen = `${STREAM}:seen:${entry["webhook-id"]}`
  // An event may come twice, when nobody knew whether the first entry had been written.
  if (await redis.exists(seen)) console.log(`seen ${entry["webhook-id"]}`)
  else await handle(JSON.parse(entry.body))
  await redis.multi().set(seen, "1", "EX", weekSeconds).xack(STREAM, group, id).exec()
}

// From the stream's beginning, for a group that is new.
await redis.xgroup("CREATE", STREAM, group, "0", "MKSTREAM").catch((error) => {
  if (!error.message.startsWith("BUSYGROUP")) throw error
})
console.log(`Reading ${STREAM}`)

// First what this consumer had taken when it last ended, then what is new.
let from = "0"
for (;;) {
  const [[, entries] = []] =
    (await redis.xreadgroup(
      "GROUP",
      group,
      CONSUMER,
      "COUNT",
      100,
      "BLOCK",
      5000,
      "STREAMS",
      STREAM,
      from,
    )) ?? []
  for (const [id, fields] of entries ?? []) await consume(id, fields)
  if (from !== ">" && (entries ?? []).length === 0) from = ">"
}
