/** What a first charge is in each language, for pages to show: complete programs, which read the key from the environment. */
export const snippetLanguages = [
  ["curl", "curl"],
  ["node", "Node.js"],
  ["python", "Python"],
  ["php", "PHP"],
  ["csharp", "C#"],
] as const
export type SnippetLanguage = (typeof snippetLanguages)[number][0]

/** A program in each language that makes a charge of R$ 129,90 at the service at `baseUrl`, and prints its payment page. */
export const chargeSnippets = (baseUrl: string): Readonly<Record<SnippetLanguage, string>> => ({
  curl: `curl ${baseUrl}/v1/transactions \\
  -H "Authorization: Bearer $CORRENTE_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1001" \\
  -d '{"amount": 12990, "payment_method": "pix", "reference": "1001",
       "customer": {"name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25"},
       "items": [{"name": "Assinatura", "quantity": 1, "unit_amount": 12990}]}'`,
  node: `const response = await fetch("${baseUrl}/v1/transactions", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.CORRENTE_API_KEY}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": "order-1001",
  },
  body: JSON.stringify({
    amount: 12990,
    payment_method: "pix",
    reference: "1001",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "Assinatura", quantity: 1, unit_amount: 12990 }],
  }),
})
const charge = await response.json()
console.log(charge.payment_url)`,
  python: `import json
import os
import urllib.request

request = urllib.request.Request(
    "${baseUrl}/v1/transactions",
    method="POST",
    headers={
        "Authorization": "Bearer " + os.environ["CORRENTE_API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": "order-1001",
    },
    data=json.dumps({
        "amount": 12990,
        "payment_method": "pix",
        "reference": "1001",
        "customer": {"name": "Ana Souza", "email": "ana@example.com", "document": "529.982.247-25"},
        "items": [{"name": "Assinatura", "quantity": 1, "unit_amount": 12990}],
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    charge = json.load(response)
print(charge["payment_url"])`,
  php: `<?php
$request = curl_init("${baseUrl}/v1/transactions");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "Authorization: Bearer " . getenv("CORRENTE_API_KEY"),
        "Content-Type: application/json",
        "Idempotency-Key: order-1001",
    ],
    CURLOPT_POSTFIELDS => json_encode([
        "amount" => 12990,
        "payment_method" => "pix",
        "reference" => "1001",
        "customer" => ["name" => "Ana Souza", "email" => "ana@example.com", "document" => "529.982.247-25"],
        "items" => [["name" => "Assinatura", "quantity" => 1, "unit_amount" => 12990]],
    ]),
]);
$charge = json_decode(curl_exec($request), true);
echo $charge["payment_url"], PHP_EOL;`,
  csharp: `using System.Net.Http.Json;
using System.Text.Json.Nodes;

using var client = new HttpClient();
var key = Environment.GetEnvironmentVariable("CORRENTE_API_KEY");
client.DefaultRequestHeaders.Add("Authorization", $"Bearer {key}");
client.DefaultRequestHeaders.Add("Idempotency-Key", "order-1001");
var response = await client.PostAsJsonAsync("${baseUrl}/v1/transactions", new
{
    amount = 12990,
    payment_method = "pix",
    reference = "1001",
    customer = new { name = "Ana Souza", email = "ana@example.com", document = "529.982.247-25" },
    items = new[] { new { name = "Assinatura", quantity = 1, unit_amount = 12990 } },
});
var charge = await response.Content.ReadFromJsonAsync<JsonNode>();
Console.WriteLine(charge!["payment_url"]);`,
})
