import { type ApiAnswer, apiClient } from "../support/apiClient.ts"
import { pause, until } from "../support/until.ts"

/** One charge that the load asked for, under one Idempotency-Key, as often as it took to get an answer. */
export interface OfferedCharge {
  readonly key: string
  readonly amount: number
  readonly hasPostback: boolean
  readonly body: string
  /** Requests sent; more than one after a broken connection or a 503. */
  sends: number
  /** The 201 that was answered, once. */
  created: { readonly id: string; readonly text: string; readonly isReplay: boolean } | undefined
}

export interface ChargeLoad {
  readonly charges: ReadonlyArray<OfferedCharge>
  /** Answers that no client should get, in words. */
  readonly surprises: ReadonlyArray<string>
  /** Requests that ended without an answer. */
  readonly connectionsLost: () => number
  /** 503 answers, and those of them without `Retry-After`. */
  readonly unavailable: () => { readonly total: number; readonly withoutRetryAfter: number }
  /** What was offered, and what was not because too many waited: then the machine, not the rate, set the pace. */
  readonly pace: () => string
  /** Offers no more, and waits until each charge offered has its answer; fails where that takes too long. */
  readonly finish: () => Promise<void>
  /** Gives up. */
  readonly stop: () => Promise<void>
}

export interface ChargeLoadOptions {
  readonly chargesPerSecond: number
  /** Every fourth charge has it as its `postback_url`. */
  readonly postbackUrl: string
  /** Begins the Idempotency-Keys. */
  readonly name: string
}

const tickMillis = 5
/** A client waits longer after each failure, up to a bound: thousands that ask at once would hold up the restart. */
const retryMillisMin = 100
const retryMillisMax = 800
const connections = 96
/** Three seconds' worth. More waiting would measure this client's queue, and not the service. */
const waitingMax = 600
/**
 * A charge without an answer for so long after the last fault is a failure of the service. Not sooner: between faults,
 * a busy machine may leave the service no time for more than to start.
 */
const answerTimeoutMillis = 60_000

/** The last two digits, 50, have the simulator pay it (`docs/contract/transactions.md#test-amounts`); the rest is the charge's own number. */
const amountOf = (number: number): number => number * 100 + 50

/** The body of a charge that is paid. */
export const bodyOf = (number: number, postbackUrl: string | undefined): string =>
  JSON.stringify({
    amount: amountOf(number),
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: `Pedido ${number}`, quantity: 1, unit_amount: amountOf(number) }],
    metadata: { number },
    ...(postbackUrl === undefined ? {} : { postback_url: postbackUrl }),
  })

/**
 * Offers charges at a fixed rate, whatever becomes of those before (an open loop). A request that is cut, or answered
 * 503 or 409 `idempotency_in_progress`, is sent again with the same key and the same bytes until it has its 201.
 * Only where hundreds wait, on a machine that cannot keep up, charges are left out.
 */
export const startChargeLoad = (url: string, apiKey: string, options: ChargeLoadOptions): ChargeLoad => {
  const client = apiClient(url, apiKey, connections)
  const charges: Array<OfferedCharge> = []
  const surprises: Array<string> = []
  const underWay = new Set<Promise<void>>()
  const counts = { lost: 0, unavailable: 0, withoutRetryAfter: 0 }
  let isStopped = false

  /** Whether the charge has its end. */
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
    const charge: OfferedCharge = {
      key: `${options.name}-${number}`,
      amount: amountOf(number),
      hasPostback,
      body: bodyOf(number, hasPostback ? options.postbackUrl : undefined),
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
    unavailable: () => ({ total: counts.unavailable, withoutRetryAfter: counts.withoutRetryAfter }),
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
