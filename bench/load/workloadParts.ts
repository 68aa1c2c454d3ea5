import type { WorkloadTarget } from "./workload.ts"

/** Length of a charge's id. */
export const idLength = "txn_".length + 26

/** The headers common to a workload's requests, each with its line break. */
export const headers = ({ port, apiKey, traceparent }: WorkloadTarget): string =>
  `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n` +
  (traceparent === undefined ? "" : `traceparent: ${traceparent}\r\n`)

/** State of a connection, by its number. */
export const perConnection = <A>(connections: number, make: () => A): ((number: number) => A) => {
  const all = Array.from({ length: connections }, make)
  return (number) => {
    const own = all[number]
    if (own === undefined) throw new RangeError(`no connection ${number}`)
    return own
  }
}

/** The id and amount at the start of a charge's JSON; undefined if they are not where they should be. */
export const readCharge = (bytes: Buffer, start: number, end: number) => {
  const text = bytes.toString("latin1", start, Math.min(end, start + 160))
  const amount = /"amount":(\d+)/.exec(text)?.[1]
  if (!text.startsWith('{"id":"txn_') || amount === undefined) return undefined
  return { id: text.slice(7, 7 + idLength), amount: Number(amount) }
}

/** The status of a wrong response, and the start of its body. */
export const describe = (status: number, bytes: Buffer, start: number, end: number): string =>
  `${status} ${bytes.toString("utf8", start, Math.min(end, start + 300))}`
