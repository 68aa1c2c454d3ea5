/** A charge that a server has answered for. */
export interface AnsweredCharge {
  readonly id: string
  readonly amount: number
  /** When its answer was read, as Unix time in ms with a fraction. */
  readonly answeredAtMillis: number
}

/** What is asked of a server again and again, and how its answers are checked. */
export interface Workload {
  /** The next request of a connection; it stays as it is until that connection's next. */
  readonly next: (slot: number) => Uint8Array
  /** Checks the answer to it; undefined where it is right, else what is wrong. */
  readonly check: (
    slot: number,
    status: number,
    bytes: Buffer,
    start: number,
    end: number,
  ) => string | undefined
  /** What the right answers so far add up to. */
  readonly summary: () => WorkloadSummary
}

export interface WorkloadSummary {
  readonly answered: number
  /** Sum of the amounts in the answers, in centavos. */
  readonly amountSum: number
  /** Created charges, the first `keepMax`. */
  readonly charges: ReadonlyArray<AnsweredCharge>
}

/** Work on charges, whose answers add up to what is stored. */
export type ChargeWorkloadOptions =
  | {
      readonly kind: "create"
      /** Last two digits of all amounts: what the simulator does with them (decisions 2). */
      readonly amountEnding: number
      readonly keepMax: number
      /** 8 characters that no other run has: they begin every Idempotency-Key. */
      readonly keyPrefix: string
    }
  | { readonly kind: "read"; readonly charges: ReadonlyArray<AnsweredCharge> }

/** `health` is GET /health: a request that waits for nothing but the event loop. */
export type WorkloadOptions = ChargeWorkloadOptions | { readonly kind: "health" }

/** The server that is asked, the key that asks, and over how many connections. */
export interface WorkloadTarget {
  readonly port: number
  readonly apiKey: string
  readonly connections: number
}

/** Makes the workload for a server. */
export const makeWorkload = (options: WorkloadOptions, target: WorkloadTarget): Workload => {
  switch (options.kind) {
    case "create":
      return makeCreates(options, target)
    case "read":
      return makeReads(options.charges, target)
    case "health":
      return makeHealthChecks(target)
  }
}

const headers = ({ port, apiKey }: WorkloadTarget): string =>
  `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n`

/** A connection's request, patched in place, and the charge its answer must tell of. */
interface Slot {
  readonly request: Buffer
  expected: { readonly id: string | undefined; readonly amount: number }
}

const makeSlots = (connections: number, template: Buffer): ((number: number) => Slot) => {
  const slots = Array.from(
    { length: connections },
    (): Slot => ({ request: Buffer.from(template), expected: { id: undefined, amount: 0 } }),
  )
  return (number) => {
    const slot = slots[number]
    if (slot === undefined) throw new RangeError(`no connection ${number}`)
    return slot
  }
}

const amountDigits = 7
const firstAmount = 1_000_000
const amounts = 80_000
const counterDigits = 10
const idLength = "txn_".length + 26

const createBody = {
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

/** The id and the amount at the start of a charge's JSON; undefined where they do not stand where they should. */
const readCharge = (bytes: Buffer, start: number, end: number) => {
  const text = bytes.toString("latin1", start, Math.min(end, start + 160))
  const amount = /"amount":(\d+)/.exec(text)?.[1]
  if (!text.startsWith('{"id":"txn_') || amount === undefined) return undefined
  return { id: text.slice(7, 7 + idLength), amount: Number(amount) }
}

const describe = (status: number, bytes: Buffer, start: number, end: number): string =>
  `${status} ${bytes.toString("utf8", start, Math.min(end, start + 300))}`

const makeCreates = (
  options: Extract<WorkloadOptions, { kind: "create" }>,
  target: WorkloadTarget,
): Workload => {
  const body = JSON.stringify(createBody)
  const counter = "0".repeat(counterDigits)
  const template = Buffer.from(
    `POST /v1/transactions HTTP/1.1\r\n${headers(target)}Content-Type: application/json\r\n` +
      `Idempotency-Key: ${options.keyPrefix}-${counter}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const keyAt = template.indexOf(`-${counter}`) + 1
  const amountAt = template.indexOf(`"amount":${firstAmount}`) + '"amount":'.length
  const slotOf = makeSlots(target.connections, template)
  const charges: Array<AnsweredCharge> = []
  let sent = 0
  let answered = 0
  let amountSum = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      const amount = firstAmount + (sent % amounts) * 100 + options.amountEnding
      slot.expected = { id: undefined, amount }
      slot.request.write(String(amount), amountAt, amountDigits, "latin1")
      slot.request.write(String(sent).padStart(counterDigits, "0"), keyAt, counterDigits, "latin1")
      sent += 1
      return slot.request
    },
    check: (number, status, bytes, start, end) => {
      const charge = status === 201 ? readCharge(bytes, start, end) : undefined
      if (charge?.amount !== slotOf(number).expected.amount) return describe(status, bytes, start, end)
      answered += 1
      amountSum += charge.amount
      if (charges.length < options.keepMax) {
        charges.push({ ...charge, answeredAtMillis: performance.timeOrigin + performance.now() })
      }
      return undefined
    },
    summary: () => ({ answered, amountSum, charges }),
  }
}

const makeReads = (charges: ReadonlyArray<AnsweredCharge>, target: WorkloadTarget): Workload => {
  const anyId = "x".repeat(idLength)
  const template = Buffer.from(`GET /v1/transactions/${anyId} HTTP/1.1\r\n${headers(target)}\r\n`)
  const idAt = template.indexOf(anyId)
  const slotOf = makeSlots(target.connections, template)
  let sent = 0
  let answered = 0
  let amountSum = 0
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
    check: (number, status, bytes, start, end) => {
      const charge = status === 200 ? readCharge(bytes, start, end) : undefined
      const { id, amount } = slotOf(number).expected
      if (charge === undefined || charge.id !== id || charge.amount !== amount) {
        return describe(status, bytes, start, end)
      }
      answered += 1
      amountSum += charge.amount
      return undefined
    },
    summary: () => ({ answered, amountSum, charges: [] }),
  }
}

const makeHealthChecks = (target: WorkloadTarget): Workload => {
  const request = Buffer.from(`GET /health HTTP/1.1\r\n${headers(target)}\r\n`)
  let answered = 0
  return {
    next: () => request,
    check: (_, status, bytes, start, end) => {
      const isRight = status === 200 && bytes.toString("latin1", start, end).startsWith('{"status":"ok"')
      if (!isRight) return describe(status, bytes, start, end)
      answered += 1
      return undefined
    },
    summary: () => ({ answered, amountSum: 0, charges: [] }),
  }
}
