import { idVariables, type MerchantRequest } from "./merchantRequests.ts"

const head = `# Requests of Corrente's API for merchants, for the REST Client of VS Code and the HTTP Client of JetBrains.
# Made from the contract by \`npm run examples:requests\`. Do not edit.

@baseUrl = http://localhost:3000
@apiKey = sk_test_…
${Object.entries(idVariables)
  .map(([name, prefix]) => `@${name} = ${prefix}_…`)
  .join("\n")}
`

const requestText = (request: MerchantRequest): string => {
  const query = request.query.filter(({ required }) => required).map(({ name, value }) => `${name}=${value}`)
  const path = request.path.replace("{id}", `{{${request.idName}}}`)
  const lines = [
    `### ${request.name}`,
    `# @name ${request.operationId}`,
    `${request.method} {{baseUrl}}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    "Authorization: Bearer {{apiKey}}",
    ...(request.takesIdempotencyKey ? [`Idempotency-Key: ${request.operationId}-{{$timestamp}}`] : []),
    ...(request.body === undefined ? [] : ["Content-Type: application/json", "", request.body]),
  ]
  return lines.join("\n")
}

/** The text of examples/corrente.http. */
export const httpFile = (requests: ReadonlyArray<MerchantRequest>): string =>
  `${[head, ...requests.map(requestText)].join("\n\n").replace("\n\n\n", "\n\n")}\n`
