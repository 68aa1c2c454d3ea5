import type { SettingsShape } from "../config/settingsShape.ts"
import { appPath } from "../http/app/buildFiles.ts"
import { jsonLineOf } from "./logging.ts"
import { version } from "./version.ts"

/** Where a service listens. */
interface ListeningAddress {
  readonly host: string
  readonly port: number
}

const originOf = ({ host, port }: ListeningAddress): string =>
  `http://${host === "0.0.0.0" || host === "127.0.0.1" ? "localhost" : host}:${port}`

const listens = (origin: string): string => `Corrente ${version} is listening on ${origin}`

/** The greeting as one line of JSON, for production, where nothing else is in the log. Printed whatever the log's level. */
export const startLine = (
  { processes }: Pick<SettingsShape, "processes">,
  address: ListeningAddress,
  redisText: string,
  nowMillis: number,
): string =>
  jsonLineOf({
    timestamp: new Date(nowMillis).toISOString(),
    level: "info",
    message: listens(originOf(address)),
    processes,
    redis: redisText,
  })

/** Printed to stdout when the service listens on `address`: first where its dashboard is. `redisText` names the Redis in use. */
export const greeting = (
  settings: Pick<SettingsShape, "processes" | "acquirers">,
  address: ListeningAddress,
  redisText: string,
): string => {
  const origin = originOf(address)
  return [
    `Dashboard:  ${origin}${appPath}`,
    listens(origin),
    ...(settings.processes > 1 ? [`  Processes: ${settings.processes}, on one port`] : []),
    `  Redis:    ${redisText}`,
    `  API:      ${origin}/docs`,
    "",
    "Next:",
    "  1. Create a seller:    npm run --silent ops -- seller create --email you@example.com --password 'at least 12 characters' --name 'Your store'",
    `  2. Make a charge:      curl -s ${origin}/v1/transactions -H "Authorization: Bearer sk_test_…" -H "Content-Type: application/json" -H "Idempotency-Key: first" \\`,
    `                           -d '{"amount":12990,"payment_method":"pix","customer":{"name":"Ana","email":"ana@example.com","document":"52998224725"},"items":[{"name":"Book","quantity":1,"unit_amount":12990}]}'`,
    `  3. Follow the stream:  curl -N ${origin}/events -H "Authorization: Bearer sk_test_…"`,
    "",
    `Test charges are paid ${settings.acquirers.simulator.delayMillis} ms after creation. Ctrl-C stops the service.`,
    "",
  ].join("\n")
}
