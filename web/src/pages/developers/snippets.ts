/** Commands to copy, for the service at `baseUrl`. The key is read from the environment, so that it stands in no history twice. */
export const snippetsFor = (baseUrl: string, mode: "test" | "live") => ({
  charge: [
    `export CORRENTE_API_KEY=sk_${mode}_…`,
    "",
    `curl ${baseUrl}/v1/transactions \\`,
    '  -H "Authorization: Bearer $CORRENTE_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    '  -H "Idempotency-Key: order-1001" \\',
    `  -d '{"amount": 12990, "payment_method": "pix",`,
    `       "customer": {"name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25"},`,
    `       "items": [{"name": "Assinatura", "quantity": 1, "unit_amount": 12990}]}'`,
  ].join("\n"),
  client: [
    'import { Corrente } from "@corrente/client"',
    "",
    `const corrente = new Corrente({ apiKey: process.env.CORRENTE_API_KEY, baseUrl: "${baseUrl}" })`,
    "const charge = await corrente.transactions.create({",
    '  amount: 12990, payment_method: "pix",',
    '  customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },',
    '  items: [{ name: "Assinatura", quantity: 1, unit_amount: 12990 }],',
    "})",
    "console.log(charge.pix.payload)",
  ].join("\n"),
  follow: [`curl -N ${baseUrl}/events -H "Authorization: Bearer $CORRENTE_API_KEY"`].join("\n"),
  listen: [
    `export CORRENTE_BASE_URL=${baseUrl}`,
    "npx corrente listen --forward-to http://localhost:4000",
    "npx corrente trigger transaction.paid",
  ].join("\n"),
})
