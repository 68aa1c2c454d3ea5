import type { Operation, Parameter } from "../../../schema/api/openapiTypes.ts"
import { sessionCookieName } from "../../../schema/api/security.ts"

const sampleIds: Readonly<Record<string, string>> = {
  transactions: "txn_01KAH2Q7C8000000000000000",
  events: "evt_01KAH2Q7C8000000000000000",
  "webhook-deliveries": "whd_01KAH2Q7C8000000000000000",
  "webhook-endpoints": "we_01KAH2Q7C8000000000000000",
  "api-keys": "key_01KAH2Q7C8000000000000000",
  sessions: "ses_01KAH2Q7C8000000000000000",
  sellers: "sel_01KAH2Q7C8000000000000000",
}

/** `/v1/events/{id}` with a sample id of the right kind. */
const samplePath = (path: string): string =>
  path
    .split("/")
    .map((segment, index, segments) =>
      segment === "{id}"
        ? (sampleIds[segments[index - 1] ?? ""] ?? "ID")
        : segment.replace(/^\{(.*)\}$/, sampleName),
    )
    .join("/")

const sampleValues: Readonly<Record<string, string>> = { "Idempotency-Key": "order-1042", "X-Mode": "test" }
const sampleHeader = ({ name }: Parameter): string => `-H "${name}: ${sampleValues[name] ?? "…"}"`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Turns `token` into `$TOKEN`. */
const sampleName = (_: string, name: string): string => `$${name.toUpperCase()}`

/** The credential arguments: an API key if the operation takes one, else the session cookie. */
const credentials = ({ security }: Operation): ReadonlyArray<string> => {
  if (security.some((needed) => "apiKey" in needed)) return ['-H "Authorization: Bearer $API_KEY"']
  if (security.length > 0) return [`-b "${sessionCookieName}=$SESSION"`]
  return []
}

/** A command that calls the operation. `origin` is where the service is reached; readers set $API_KEY and $SESSION. */
export const curlExample = (origin: string, method: string, path: string, operation: Operation): string => {
  const streams = Object.values(operation.responses).some(({ content }) => content?.["text/event-stream"])
  const body = operation.requestBody?.content["application/json"]?.example
  const verb =
    method === "get" || (method === "post" && body !== undefined) ? "" : ` -X ${method.toUpperCase()}`
  const lines = [`curl${streams ? " -N" : ""}${verb} ${origin}${samplePath(path)}`]
  lines.push(...credentials(operation))
  for (const parameter of operation.parameters) {
    const isShown = parameter.required || parameter.name === "X-Mode"
    if (parameter.in === "header" && isShown) lines.push(sampleHeader(parameter))
  }
  if (body !== undefined)
    lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`)
  return lines.join(" \\\n  ")
}
