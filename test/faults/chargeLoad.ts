import { type ApiAnswer, apiClient } from "../support/apiClient.ts"
import { pause, until } from "../support/until.ts"
import { isOverloaded } from "../support/whileOverloaded.ts"

/** One charge that the load requested under one Idempotency-Key, as often as it took to get an answer. */
export interface OfferedCharge {
  readonly key: string
  readonly amount: number
  readonly hasPostback: boolean
  readonly body: string
  /** Requests sent; more than one after a broken connection or a 503. */
  sends: number
  /** The 201 answer, once there is one. */
  created: { readonly id: string; readonly text: string; readonly isReplay: boolean } | undefined
}

/** A running load: what it offered, what it was answered, and how it ends. */
export interface ChargeLoad {
  readonly charges: ReadonlyArray<OfferedCharge>
  /** Answers that no client should get, as text. */
  readonly surprises: ReadonlyArray<string>
  /** Requests that ended without an answer. */
  readonly connectionsLost: () => number
  /** 503 answers, those of them without `Retry-After`, and those that an overload does not explain. */
  readonly unavailable: () => {
    readonly total: number
    readonly withoutRetryAfter: number
    readonly notOverloaded: number
  }
  /** How many charges were offered, and how many left out because too many waited: then the machine set the pace. */
  readonly pace: () => string
  /** Stops offering, and waits until each offered charge is answered; rejects if that takes too long. */
  readonly finish: () => Promise<void>
  /** Stops without waiting for answers. */
  readonly stop: () => Promise<void>
}

/** What a load offers. */
export interface ChargeLoadOptions {
  readonly chargesPerSecond: number
  /** Every fourth charge has it as its `postback_url`. */
  readonly postbackUrl: string
  /** The prefix of the Idempotency-Keys. */
  readonly name: string
}

const tickMillis = 5
/** A client waits longer after each failure, up to a bound: thousands of requests at once would slow the restart. */
const retryMillisMin = 100
const retryMillisMax = 800
const connections = 96
/** Three seconds' worth. More waiting would measure this client's queue, and not the service. */
const waitingMax = 600
/**
 * The service has failed if a charge is unanswered this long after the last fault. Not sooner: between faults, a busy
 * machine may leave the service only the time to start.
 */
const answerTimeoutMillis = 180_000

/** The charge's number and then 50, which the simulator pays (`docs/contract/transactions.md#test-amounts`). */
const amountOf = (number: number): number => number * 100 + 50

/** The body of a charge that is paid, of the request with a key. */
export const bodyOf = (key: string, number: number, postbackUrl?: string): string =>
  JSON.stringify({
    amount: amountOf(number),
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: `Pedido ${number}`, quantity: 1, unit_amount: amountOf(number) }],
    metadata: { key },
    ...(postbackUrl === undefined ? {} : { postback_url: postbackUrl }),
  })

/**
 * Offers charges at a fixed rate, whatever happens to earlier ones (an open loop). A request that is cut, or answered
 * 503 or 409 `idempotency_in_progress`, is sent again with the same key and the same bytes until it has its 201.
 * Charges are left out only where hundreds wait, on a machine that cannot keep up.
 */
export const startChargeLoad = (url: string, apiKey: string, options: ChargeLoadOptions): ChargeLoad => {
  const client = apiClient(url, apiKey, connections)
  const charges: Array<OfferedCharge> = []
  const surprises: Array<string> = []
  const underWay = new Set<Promise<void>>()
  const counts = { lost: 0, unavailable: 0, withoutRetryAfter: 0, notOverloaded: 0 }
  let isStopped = false

  /** Takes an answer, and says whether it ends the charge's requests. */
  const take = (charge: OfferedCharge, answer: ApiAnswer): boolean => {
    if (answer.status === 201) {
      const { id } = answer.json() as { id: string }
      const isReplay = answer.headers["idempotent-replayed"] === "true"
      charge.created = { id, text: answer.text, isReplay }
      return true
    }
    if (answer.status === 503) {
      counts.unavailable += 1
      if (answer.headers["retry-after"] === undefined) counts.withoutRetryAfter += 1
      if (!isOverloaded(answer)) counts.notOverloaded += 1
      return false
    }
    if (answer.status === 409 && answer.text.includes("idempotency_in_progress")) return false
    surprises.push(`${charge.key}: ${answer.status} ${answer.text}`)
    return true
  }

  const insist = async (charge: OfferedCharge): Promise<void> => {
    while (!isStopped) {
      charge.sends += 1
      const headers = { "idempotency-key": charge.key }
      const answer = await client
        .send("POST", "/v1/transactions", { body: charge.body, headers })
        .catch(() => undefined)
      if (answer === undefined) counts.lost += 1
      else if (take(charge, answer)) return
      await pause(Math.min(retryMillisMin * 2 ** (charge.sends - 1), retryMillisMax))
    }
  }

  const offer = () => {
    const number = charges.length + 1
    const hasPostback = number % 4 === 0
    const key = `${options.name}-${number}`
    const charge: OfferedCharge = {
      key,
      amount: amountOf(number),
      hasPostback,
      body: bodyOf(key, number, hasPostback ? options.postbackUrl : undefined),
      sends: 0,
      created: undefined,
    }
    charges.push(charge)
    const answered: Promise<void> = insist(charge).finally(() => underWay.delete(answered))
    underWay.add(answered)
  }

  const startedAt = performance.now()
  let leftOut = 0
  const ticker = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * options.chargesPerSecond) / 1_000)
    while (charges.length + leftOut < due) {
      if (underWay.size < waitingMax) offer()
      else leftOut += 1
    }
  }, tickMillis)

  const stop = async () => {
    isStopped = true
    clearInterval(ticker)
    await client.close()
  }
  return {
    charges,
    surprises,
    connectionsLost: () => counts.lost,
    unavailable: () => ({
      total: counts.unavailable,
      withoutRetryAfter: counts.withoutRetryAfter,
      notOverloaded: counts.notOverloaded,
    }),
    pace: () => {
      const seconds = (performance.now() - startedAt) / 1_000
      return `${charges.length} charges in ${seconds.toFixed(1)} s, ${leftOut} left out`
    },
    finish: async () => {
      clearInterval(ticker)
      await until(
        () => `${underWay.size} charges to be answered`,
        () => underWay.size === 0,
        answerTimeoutMillis,
      )
      await stop()
    },
    stop,
  }
}
