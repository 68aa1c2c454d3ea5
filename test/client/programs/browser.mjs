// Runs in a page: charges, follows events, verifies a webhook, and posts what came of it to /result. `settings` is the page's.
/* global settings */
const report = (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) })

try {
  const { Corrente, verifyWebhook } = await import("/client/index.js")
  const corrente = new Corrente({ apiKey: settings.apiKey, baseUrl: location.origin })
  const charge = await corrente.transactions.create({
    amount: 12_990,
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "Assinatura", quantity: 1, unit_amount: 12_990 }],
  })
  const [created] = (await corrente.events.list().page()).data
  const subscription = corrente.events.subscribe({ after: created.id })
  const next = subscription.next()
  const { status } = await corrente.test.transactions.pay(charge.id)
  const { type: followed } = (await next).value
  await subscription.return()
  let listed = 0
  for await (const _ of corrente.transactions.list()) listed += 1
  const { rawBody, headers, secret } = settings.delivery
  const { type: webhook } = await verifyWebhook(rawBody, headers, secret)
  const refusal = await verifyWebhook(`${rawBody} `, headers, secret).then(
    () => "none",
    ({ code }) => code,
  )
  await report({ status, listed, followed, webhook, refusal })
} catch (error) {
  await report({ failed: `${error?.stack ?? error}` })
}
