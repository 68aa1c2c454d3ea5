// Calls everything that the client has, under any Node, and prints what came of it as JSON.
//
// API_URL, API_KEY  the service and the key
// PIX_KEY           a verified PIX key
import { Corrente, CorrenteError, verifyWebhook } from "../../../client/dist/index.js"

const { API_URL: baseUrl, API_KEY: apiKey, PIX_KEY: pix_key_id } = process.env
const corrente = new Corrente({ apiKey, baseUrl })
const { test } = corrente

const chargeOf = (amount) => ({
  amount,
  payment_method: "pix",
  customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
  items: [{ name: "Assinatura", quantity: 1, unit_amount: amount }],
})
const all = async (list) => {
  const items = []
  for await (const item of list) items.push(item)
  return items
}
const codeOf = async (call) => {
  try {
    await call
    return "fine"
  } catch (error) {
    if (!(error instanceof CorrenteError)) throw error
    return [error.name, error.code, error.status, error.param, typeof error.requestId].join(" ")
  }
}

const dayAhead = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** The fields of the first row of each file, which are those of the client's types, and a workbook's bytes. */
const exported = async () => {
  const format = "ndjson"
  const files = [
    await corrente.transactions.export({ format }),
    await corrente.refunds.export({ format }),
    await corrente.withdrawals.export({ format }),
    await corrente.statement.export({ format, from: dayAhead(-1), to: dayAhead(60) }),
  ]
  const rows = []
  for (const file of files) rows.push((await all(file.rows()))[0] ?? {})
  const workbook = Buffer.concat(await all(await corrente.transactions.export({ format: "xlsx" })))
  return {
    rows: rows.map((row) => Object.keys(row).join(" ")),
    names: files.map(({ name }) => name.replace(/-\d.*/, "")),
    workbook: workbook.subarray(0, 2).toString(),
  }
}

// Endings of amounts under which nothing happens by itself: the test controls below act.
const idempotencyKey = "tour-1"
const charge = await corrente.transactions.create(chargeOf(50_001), { idempotencyKey })
const again = await corrente.transactions.create(chargeOf(50_001), { idempotencyKey })

const [first] = (await corrente.events.list().page()).data
const stop = new AbortController()
const followed = []
const options = { types: "transaction.*", after: first.id, signal: stop.signal }
const following = (async () => {
  for await (const { seq, type } of corrente.events.subscribe(options)) followed.push([seq, type])
})()

const other = await corrente.transactions.create(chargeOf(60_001))
const paid = [await test.transactions.pay(charge.id), await test.transactions.pay(other.id)]
const refund = await corrente.refunds.create(charge.id, { amount: 1_001 })
const refunded = await test.refunds.succeed(refund.id)
const chargedBack = await test.transactions.chargeback(other.id)

await test.clock.advance({ seconds: 40 * 86_400 })
const withdrawal = await corrente.withdrawals.create({ amount: 10_001, pix_key_id })
const cancelled = await corrente.withdrawals.cancel(withdrawal.id)

const events = await all(corrente.events.list({ limit: 2 }))
const deliveries = await all(corrente.webhookDeliveries.list())
const newest = (await corrente.events.list({ resource_id: charge.id }).page()).data[0]
const isFollowed = ({ seq, type }) => seq > first.seq && type.startsWith("transaction.")
while (followed.length < events.filter(isFollowed).length) {
  await new Promise((wake) => setTimeout(wake, 20))
}
stop.abort()
await following

console.log(
  JSON.stringify({
    version: process.version,
    isSame: again.id === charge.id && (await corrente.transactions.get(charge.id)).id === charge.id,
    statuses: [...paid, refunded, chargedBack, cancelled].map(({ status }) => status),
    charges: (await all(corrente.transactions.list({ limit: 1 }))).map(({ id }) => id === other.id),
    refunds: (await all(corrente.refunds.list({ transaction_id: charge.id }))).map(
      ({ id }) => id === refund.id,
    ),
    refund: (await corrente.refunds.get(refund.id)).status,
    withdrawals: (await all(corrente.withdrawals.list())).map(({ status }) => status),
    withdrawal: (await corrente.withdrawals.get(withdrawal.id)).status,
    pixKeys: (await all(corrente.pixKeys.list())).map(({ id }) => id === pix_key_id),
    balance: (await corrente.balance.get()).object,
    exports: await exported(),
    ledger: (await all(corrente.ledger.list({ limit: 3 }))).length > 5,
    seqs: events.map(({ seq }) => seq),
    event: (await corrente.events.get(newest.id)).data.object.id === charge.id,
    followed: followed.map(([, type]) => type),
    isFollowedInOrder: followed.every(([seq], i) => i === 0 || seq > followed[i - 1][0]),
    deliveries: deliveries.length,
    failures: [
      await codeOf(corrente.transactions.create({ ...chargeOf(50_001), amount: -1 })),
      await codeOf(corrente.transactions.get("txn_none")),
      await codeOf(corrente.refunds.create(charge.id, { amount: 60_000 })),
      await codeOf(corrente.webhookDeliveries.get("whd_none")),
      await codeOf(corrente.webhookDeliveries.retry("whd_none")),
      await codeOf(test.withdrawals.approve(withdrawal.id)),
      await codeOf(new Corrente({ apiKey: "sk_test_none", baseUrl }).balance.get()),
      await codeOf(verifyWebhook("{}", {}, "whsec_none")),
    ],
  }),
)
