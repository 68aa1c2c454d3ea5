import type { WorkloadTarget } from "./workload.ts"

/** Length of a charge's id. */
export const idLength = "txn_".length + 26

/** The headers of all requests of a workload, each with its line's end. */
export const headers = ({ port, apiKey }: WorkloadTarget): string =>
  `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n`

/** Something a connection has to itself, by its number. */
export const perConnection = <A>(connections: number, make: () => A): ((number: number) => A) => {
  const all = Array.from({ length: connections }, make)
  return (number) => {
    const own = all[number]
    if (own === undefined) throw new RangeError(`no connection ${number}`)
    return own
  }
}

/** The id and the amount at the start of a charge's JSON; undefined where they do not stand where they should. */
export const readCharge = (bytes: Buffer, start: number, end: number) => {
  const text = bytes.toString("latin1", start, Math.min(end, start + 160))
  const amount = /"amount":(\d+)/.exec(text)?.[1]
  if (!text.startsWith('{"id":"txn_') || amount === undefined) return undefined
  return { id: text.slice(7, 7 + idLength), amount: Number(amount) }
}

/** A wrong answer's status and the start of its body. */
export const describe = (status: number, bytes: Buffer, start: number, end: number): string =>
  `${status} ${bytes.toString("utf8", start, Math.min(end, start + 300))}`
