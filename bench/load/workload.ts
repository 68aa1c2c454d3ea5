/** Repeated requests about charges, and how their responses are checked. */

import { monotonicMillis } from "./clock.ts"

/** A charge that a server has acknowledged. */
export interface AnsweredCharge {
  readonly id: string
  readonly amount: number
  /** When its response was read, on the monotonic clock. */
  readonly answeredAtMillis: number
}

export interface CreateOptions {
  /** Last two digits of every amount: they select the outcome (docs/contract/transactions.md#test-amounts). */
  readonly amountEnding: number
  /** How many of the created charges are returned. */
  readonly keepMax: number
  /** 8 characters unique to the run: they start every Idempotency-Key. */
  readonly keyPrefix: string
  /** Keys to use in turn, one per seller; by default the target's own key. */
  readonly apiKeys?: ReadonlyArray<string>
}

export type WorkloadOptions =
  | ({ readonly kind: "create" } & CreateOptions)
  | { readonly kind: "read"; readonly charges: ReadonlyArray<AnsweredCharge> }
  /** Four reads per creation, of charges it has created. */
  | ({ readonly kind: "mixed" } & CreateOptions)
  /** Creates `distinct` charges and then repeats them with the same Idempotency-Keys and bytes. */
  | ({ readonly kind: "replay"; readonly distinct: number } & CreateOptions)
  /** Reads the first page of charges, which must show exactly `ids`, in order. */
  | { readonly kind: "list"; readonly ids: ReadonlyArray<string> }

/** Totals over the correct responses. */
export interface WorkloadSummary {
  readonly answered: number
  /** Responses that created a charge, and the sum of their amounts. */
  readonly created: number
  readonly createdSum: number
  /** The first `keepMax` created charges. */
  readonly charges: ReadonlyArray<AnsweredCharge>
}

/** A response: its status, and its body from `start` to `end` of `bytes`. */
type Answer = [status: number, bytes: Buffer, start: number, end: number]

export interface Workload {
  /** The next request of a connection; unchanged until that connection's next. */
  readonly next: (slot: number) => Uint8Array
  /** Checks the response; returns what is wrong, or undefined. */
  readonly check: (slot: number, ...answer: Answer) => string | undefined
  readonly summary: () => WorkloadSummary
}

/** The server under test, the key, and the number of connections. */
type WorkloadTarget = Readonly<{ port: number; apiKey: string; connections: number }>

export const idLength = "txn_".length + 26

const headers = ({ port, apiKey }: WorkloadTarget): string =>
  `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n`

/** State of a connection, by its number. */
const perConnection = <A>(connections: number, make: () => A): ((number: number) => A) => {
  const all = Array.from({ length: connections }, make)
  return (number) => {
    const own = all[number]
    if (own === undefined) throw new RangeError(`no connection ${number}`)
    return own
  }
}

/** The id and amount at the start of a charge's JSON; undefined if they are not where they should be. */
const readCharge = (...[, bytes, start, end]: Answer) => {
  const text = bytes.toString("latin1", start, Math.min(end, start + 160))
  const amount = /"amount":(\d+)/.exec(text)?.[1]
  if (!text.startsWith('{"id":"txn_') || amount === undefined) return undefined
  return { id: text.slice(7, 7 + idLength), amount: Number(amount) }
}

/** The status of a wrong response, and the start of its body. */
const describe = (...[status, bytes, start, end]: Answer): string =>
  `${status} ${bytes.toString("utf8", start, Math.min(end, start + 300))}`

const nothingCreated = { created: 0, createdSum: 0, charges: [] }

const amountDigits = 7
const firstAmount = 1_000_000
const amounts = 80_000
const counterDigits = 10

/** The charge that is created repeatedly. */
export const createBody = {
  amount: firstAmount,
  payment_method: "pix",
  customer: {
    name: "Maria Aparecida de Souza",
    email: "maria.souza@example.com",
    document: "52998224725",
    phone: "+5511987654321",
  },
  items: [
    { name: "Camiseta básica algodão M", quantity: 2, unit_amount: 4_990 },
    { name: "Frete", quantity: 1, unit_amount: 1_990 },
  ],
  metadata: { order_id: "2026-0001234", channel: "web", gift: false },
}

const makeCreates = (options: CreateOptions, target: WorkloadTarget): Workload => {
  const body = JSON.stringify(createBody)
  const counter = "0".repeat(counterDigits)
  const apiKeys = options.apiKeys ?? [target.apiKey]
  const template = Buffer.from(
    `POST /v1/transactions HTTP/1.1\r\n${headers(target)}Content-Type: application/json\r\n` +
      `Idempotency-Key: ${options.keyPrefix}-${counter}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const apiKeyAt = template.indexOf(target.apiKey)
  const keyAt = template.indexOf(`-${counter}`) + 1
  const amountAt = template.indexOf(`"amount":${firstAmount}`) + '"amount":'.length
  const slotOf = perConnection(target.connections, () => ({ request: Buffer.from(template), amount: 0 }))
  const charges: Array<AnsweredCharge> = []
  let sent = 0
  let created = 0
  let createdSum = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      slot.amount = firstAmount + (sent % amounts) * 100 + options.amountEnding
      slot.request.write(String(slot.amount), amountAt, amountDigits, "latin1")
      slot.request.write(String(sent).padStart(counterDigits, "0"), keyAt, counterDigits, "latin1")
      slot.request.write(apiKeys[sent % apiKeys.length] ?? "", apiKeyAt, target.apiKey.length, "latin1")
      sent += 1
      return slot.request
    },
    check: (number, ...answer) => {
      const charge = answer[0] === 201 ? readCharge(...answer) : undefined
      if (charge?.amount !== slotOf(number).amount) return describe(...answer)
      created += 1
      createdSum += charge.amount
      if (charges.length < options.keepMax) {
        charges.push({ ...charge, answeredAtMillis: monotonicMillis() })
      }
      return undefined
    },
    summary: () => ({ answered: created, created, createdSum, charges }),
  }
}

/** GET of charges, one after the other, from those in `charges` at that moment. */
const makeReads = (charges: ReadonlyArray<AnsweredCharge>, target: WorkloadTarget): Workload => {
  const anyId = "x".repeat(idLength)
  const template = Buffer.from(`GET /v1/transactions/${anyId} HTTP/1.1\r\n${headers(target)}\r\n`)
  const idAt = template.indexOf(anyId)
  const slotOf = perConnection(target.connections, () => ({
    request: Buffer.from(template),
    expected: { id: "", amount: 0 },
  }))
  let sent = 0
  let answered = 0
  return {
    next: (number) => {
      const expected = charges[sent % charges.length]
      if (expected === undefined) throw new Error("no charges to read")
      const slot = slotOf(number)
      slot.expected = expected
      slot.request.write(expected.id, idAt, idLength, "latin1")
      sent += 1
      return slot.request
    },
    check: (number, ...answer) => {
      const charge = answer[0] === 200 ? readCharge(...answer) : undefined
      const { id, amount } = slotOf(number).expected
      if (charge?.id !== id || charge.amount !== amount) return describe(...answer)
      answered += 1
      return undefined
    },
    summary: () => ({ answered, ...nothingCreated }),
  }
}

const readsPerCreate = 4

/** Four reads per creation; the reads wait for the first charge and then catch up. */
const makeMixed = (options: CreateOptions, target: WorkloadTarget): Workload => {
  const creates = makeCreates(options, target)
  const { charges } = creates.summary()
  const reads = makeReads(charges, target)
  const slotOf = perConnection(target.connections, () => ({ current: creates }))
  let createsSent = 0
  let readsSent = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      const isRead = charges.length > 0 && readsSent < createsSent * readsPerCreate
      if (isRead) readsSent += 1
      else createsSent += 1
      slot.current = isRead ? reads : creates
      return slot.current.next(number)
    },
    check: (number, ...answer) => slotOf(number).current.check(number, ...answer),
    summary: () => {
      const made = creates.summary()
      return { ...made, answered: made.answered + reads.summary().answered }
    },
  }
}

/** Creates some charges, then repeats the requests: every response must equal the first, byte for byte. */
const makeReplays = (distinct: number, options: CreateOptions, target: WorkloadTarget): Workload => {
  const creates = makeCreates(options, target)
  const firsts: Array<{ readonly request: Buffer; readonly body: Buffer }> = []
  const slotOf = perConnection(target.connections, () => ({
    /** The request being repeated; undefined if it creates a charge. */
    first: firsts[0],
    request: Buffer.alloc(0) as Uint8Array,
  }))
  let firstsSent = 0
  let replaysSent = 0
  let replayed = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      slot.first = firstsSent < distinct ? undefined : firsts[replaysSent % firsts.length]
      if (slot.first === undefined) {
        firstsSent += 1
        slot.request = creates.next(number)
        return slot.request
      }
      replaysSent += 1
      return slot.first.request
    },
    check: (number, ...answer) => {
      const { first, request } = slotOf(number)
      const [status, bytes, start, end] = answer
      if (first !== undefined) {
        if (status !== 201 || first.body.compare(bytes, start, end) !== 0) return describe(...answer)
        replayed += 1
        return undefined
      }
      const problem = creates.check(number, ...answer)
      if (problem !== undefined) return problem
      firsts.push({ request: Buffer.from(request), body: Buffer.from(bytes.subarray(start, end)) })
      return undefined
    },
    summary: () => ({ ...creates.summary(), answered: creates.summary().answered + replayed }),
  }
}

/** Start of a charge in a list; ids appear nowhere else. */
const itemStart = '{"id":"txn_'
const pageStart = Buffer.from('{"data":[')

/** GET of the newest charges: each response must show exactly the charges of `ids`, in order. */
const makeLists = (ids: ReadonlyArray<string>, target: WorkloadTarget): Workload => {
  const request = Buffer.from(`GET /v1/transactions?limit=${ids.length} HTTP/1.1\r\n${headers(target)}\r\n`)
  const items = ids.map((id) => Buffer.from(`{"id":"${id}"`))
  const isRight = (bytes: Buffer, start: number, end: number): boolean => {
    if (bytes.indexOf(pageStart, start) !== start) return false
    let at = start + pageStart.length
    for (const item of items) {
      // The next charge must be this one.
      at = bytes.indexOf(itemStart, at)
      if (at < 0 || at + item.length > end) return false
      if (bytes.compare(item, 0, item.length, at, at + item.length) !== 0) return false
      at += item.length
    }
    const next = bytes.indexOf(itemStart, at)
    return next < 0 || next >= end
  }
  let answered = 0
  return {
    next: () => request,
    check: (_, ...answer) => {
      const [status, bytes, start, end] = answer
      if (status !== 200 || !isRight(bytes, start, end)) return describe(...answer)
      answered += 1
      return undefined
    },
    summary: () => ({ answered, ...nothingCreated }),
  }
}

export const makeWorkload = (options: WorkloadOptions, target: WorkloadTarget): Workload => {
  switch (options.kind) {
    case "create":
      return makeCreates(options, target)
    case "read":
      return makeReads(options.charges, target)
    case "mixed":
      return makeMixed(options, target)
    case "replay":
      return makeReplays(options.distinct, options, target)
    case "list":
      return makeLists(options.ids, target)
  }
}
