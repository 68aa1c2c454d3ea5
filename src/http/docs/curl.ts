import type { Operation, Parameter } from "../../../schema/api/openapi.ts"

const sampleIds: Readonly<Record<string, string>> = {
  transactions: "txn_01KAH2Q7C8000000000000000",
  events: "evt_01KAH2Q7C8000000000000000",
  "webhook-deliveries": "whd_01KAH2Q7C8000000000000000",
}

/** `/v1/events/{id}` with an id of the kind that stands there. */
const samplePath = (path: string): string =>
  path
    .split("/")
    .map((segment, index, segments) =>
      segment.startsWith("{") ? (sampleIds[segments[index - 1] ?? ""] ?? "ID") : segment,
    )
    .join("/")

const sampleHeader = ({ name }: Parameter): string =>
  name === "Idempotency-Key" ? '-H "Idempotency-Key: order-1042"' : `-H "${name}: …"`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A command that calls the operation. `origin` is where the service is reached; the key comes from $API_KEY. */
export const curlExample = (origin: string, method: string, path: string, operation: Operation): string => {
  const streams = Object.values(operation.responses).some(({ content }) => content?.["text/event-stream"])
  const body = operation.requestBody?.content["application/json"]?.example
  const verb =
    method === "get" || (method === "post" && body !== undefined) ? "" : ` -X ${method.toUpperCase()}`
  const lines = [`curl${streams ? " -N" : ""}${verb} ${origin}${samplePath(path)}`]
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $API_KEY"')
  for (const parameter of operation.parameters) {
    if (parameter.in === "header" && parameter.required) lines.push(sampleHeader(parameter))
  }
  if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`)
  return lines.join(" \\\n  ")
}
