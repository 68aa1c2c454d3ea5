import type { AnsweredCharge, CreateOptions, Workload, WorkloadTarget } from "./workload.ts"
import { describe, headers, idLength, perConnection, readCharge } from "./workloadParts.ts"

/** A connection's request, patched in place, and the charge its response must name. */
interface Slot {
  readonly request: Buffer
  expected: { readonly id: string | undefined; readonly amount: number }
}

const makeSlots = (connections: number, template: Buffer): ((number: number) => Slot) =>
  perConnection(connections, () => ({
    request: Buffer.from(template),
    expected: { id: undefined, amount: 0 },
  }))

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

/** POST of a charge, each with a new Idempotency-Key. */
export const makeCreates = (options: CreateOptions, target: WorkloadTarget): Workload => {
  const body = JSON.stringify(createBody)
  const counter = "0".repeat(counterDigits)
  const apiKeys = options.apiKeys ?? [target.apiKey]
  const keyLength = target.apiKey.length
  const template = Buffer.from(
    `POST /v1/transactions HTTP/1.1\r\n${headers(target)}Content-Type: application/json\r\n` +
      `Idempotency-Key: ${options.keyPrefix}-${counter}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const apiKeyAt = template.indexOf(target.apiKey)
  const keyAt = template.indexOf(`-${counter}`) + 1
  const amountAt = template.indexOf(`"amount":${firstAmount}`) + '"amount":'.length
  const slotOf = makeSlots(target.connections, template)
  const charges: Array<AnsweredCharge> = []
  let sent = 0
  let created = 0
  let createdSum = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      const amount = firstAmount + (sent % amounts) * 100 + options.amountEnding
      slot.expected = { id: undefined, amount }
      slot.request.write(String(amount), amountAt, amountDigits, "latin1")
      slot.request.write(String(sent).padStart(counterDigits, "0"), keyAt, counterDigits, "latin1")
      slot.request.write(apiKeys[sent % apiKeys.length] ?? "", apiKeyAt, keyLength, "latin1")
      sent += 1
      return slot.request
    },
    check: (number, status, bytes, start, end) => {
      const charge = status === 201 ? readCharge(bytes, start, end) : undefined
      if (charge?.amount !== slotOf(number).expected.amount) return describe(status, bytes, start, end)
      created += 1
      createdSum += charge.amount
      if (charges.length < options.keepMax) {
        charges.push({ ...charge, answeredAtMillis: performance.timeOrigin + performance.now() })
      }
      return undefined
    },
    summary: () => ({ answered: created, amountSum: createdSum, created, createdSum, charges }),
  }
}

/** GET of charges, one after the other, from those in `charges` at that moment. */
export const makeReads = (charges: ReadonlyArray<AnsweredCharge>, target: WorkloadTarget): Workload => {
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
    summary: () => ({ answered, amountSum, created: 0, createdSum: 0, charges: [] }),
  }
}

const readsPerCreate = 4

/** Four reads per creation; the reads wait for the first charge and then catch up. */
export const makeMixed = (options: CreateOptions, target: WorkloadTarget): Workload => {
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
      const [made, read] = [creates.summary(), reads.summary()]
      return {
        ...made,
        answered: made.answered + read.answered,
        amountSum: made.amountSum + read.amountSum,
      }
    },
  }
}
