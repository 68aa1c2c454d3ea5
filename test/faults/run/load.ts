import type { Mode } from "../../../schema/ids.ts"
import type { ApiAnswer } from "../../support/apiClient.ts"
import { webhookSecret } from "../../support/pspSettings.ts"
import { pause, until } from "../../support/until.ts"
import { feedOf, keyOf, type World, type WorldSeller } from "./world.ts"

/** The load on a world: charges that are paid, and withdrawals that are paid out, each repeated by its key until answered. */
export interface Load {
  /** What was asked for and answered so far. */
  readonly figures: () => LoadFigures
  /** Answers that no client should get. */
  readonly surprises: ReadonlyArray<string>
  /** Asks for nothing new, and waits until everything that was asked for is answered. */
  readonly finish: (timeoutMillis: number) => Promise<void>
  /** Ends at once. */
  readonly stop: () => void
}

export interface LoadFigures {
  readonly asked: number
  readonly answered: number
  /** Requests that were not sent because too many had no answer yet. */
  readonly leftOut: number
  /** Requests that were repeated, by reason: without an answer, the message of a 503, or under way elsewhere. */
  readonly repeats: Readonly<Record<string, number>>
}

const tickMillis = 10
/** A client that hears nothing for so long repeats its request elsewhere; a late answer counts all the same. */
const patienceMillis = 8_000
const repeatMillisMin = 100
const repeatMillisMax = 2_000
/** Three seconds' worth of requests wait for their answers: repeats of more would keep this process too busy to be a network. */
const waitingSecondsMax = 3
/** One charge of so many is paid at the bank; the others are simulated. */
const liveEvery = 4
const readEvery = 10
const withdrawalPauseMillis = 1_000
const settleMillis = 100

interface Asked {
  readonly kind: "charge" | "withdrawal"
  readonly seller: WorldSeller
  readonly mode: Mode
  readonly key: string
  readonly body: string
}

interface Created {
  readonly id: string
  readonly amount: number
  readonly status: string
  readonly pix?: { readonly txid: string }
}

/** A whole number of reais and 50, which the simulator pays (`docs/contract/transactions.md#test-amounts`). */
const amountOf = (number: number): number => (number % 1_000) * 100 + 1_050

const chargeBody = (number: number, key: string): string =>
  JSON.stringify({
    amount: amountOf(number),
    payment_method: "pix",
    // The bank is told the name, and the journal finds the request by it.
    customer: { name: key, email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "Pedido", quantity: 1, unit_amount: amountOf(number) }],
    metadata: { key },
  })

class WorldLoad implements Load {
  readonly surprises: Array<string> = []
  readonly #world: World
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #paid = new Set<string>()
  readonly #settled = new Set<string>()
  readonly #counts = { asked: 0, answered: 0, leftOut: 0 }
  readonly #repeats: Record<string, number> = {}
  #isFinishing = false
  #isStopped = false
  #requests = 0
  readonly #ticker: NodeJS.Timeout
  readonly #settler: NodeJS.Timeout

  constructor(world: World) {
    this.#world = world
    const startedAt = performance.now()
    this.#ticker = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) * world.size.writesPerSecond) / 1_000)
      while (this.#counts.asked + this.#counts.leftOut < due) this.#offer()
    }, tickMillis)
    this.#settler = setInterval(() => this.#settlePayouts(), settleMillis)
    for (const seller of world.sellers) this.#watch(this.#withdraw(seller))
  }

  figures(): LoadFigures {
    return { ...this.#counts, repeats: { ...this.#repeats } }
  }

  async finish(timeoutMillis: number): Promise<void> {
    this.#isFinishing = true
    clearInterval(this.#ticker)
    await until(
      () => `${this.#underWay.size} requests to be answered`,
      () => this.#underWay.size === 0,
      timeoutMillis,
    )
  }

  stop(): void {
    this.#isStopped = true
    this.#isFinishing = true
    clearInterval(this.#ticker)
    clearInterval(this.#settler)
  }

  #watch(work: Promise<unknown>): void {
    const watched = work
      .catch((error: unknown) => this.surprises.push(String(error)))
      .finally(() => this.#underWay.delete(watched))
    this.#underWay.add(watched)
  }

  /** Another service than the one before. */
  #nextClient() {
    this.#requests += 1
    const client = this.#world.clients[this.#requests % this.#world.clients.length]
    if (client === undefined) throw new Error("the world has no service")
    return client
  }

  #offer(): void {
    const { sellers, size } = this.#world
    // The withdrawals of a seller are under way as long as the load is.
    if (this.#underWay.size > sellers.length + waitingSecondsMax * size.writesPerSecond) {
      this.#counts.leftOut += 1
      return
    }
    const number = this.#counts.asked + 1
    this.#counts.asked = number
    const seller = this.#world.sellers[number % this.#world.sellers.length]
    if (seller === undefined) throw new Error("the world has no seller")
    // Each round over all sellers has one mode.
    const mode = Math.floor(number / this.#world.sellers.length) % liveEvery === 0 ? "live" : "test"
    const key = `charge-${number}`
    this.#watch(this.#insist({ kind: "charge", seller, mode, key, body: chargeBody(number, key) }))
  }

  /** Sends a request until it has its answer; undefined: it was refused, or the load was stopped. */
  async #insist(asked: Asked): Promise<Created | undefined> {
    for (let sends = 1; !this.#isStopped; sends += 1) {
      const answer = await this.#send(asked)
      if (answer !== undefined) {
        this.#counts.answered += 1
        return answer.status === 201 ? (answer.json() as Created) : undefined
      }
      await pause(Math.min(repeatMillisMin * 2 ** (sends - 1), repeatMillisMax))
    }
    return undefined
  }

  #countRepeat(reason: string): undefined {
    this.#repeats[reason] = (this.#repeats[reason] ?? 0) + 1
  }

  /** Sends once; undefined where the outcome is unknown. An answer is journaled even where it comes too late. */
  async #send(asked: Asked): Promise<ApiAnswer | undefined> {
    const { seller, mode, key, body } = asked
    const headers = { "idempotency-key": key, ...keyOf(seller, mode) }
    const path = asked.kind === "charge" ? "/v1/transactions" : "/v1/withdrawals"
    const answer = this.#nextClient()
      .send("POST", path, { body, headers })
      .then(
        (given) => this.#take(asked, given),
        () => this.#countRepeat("connection lost"),
      )
    const patience = pause(patienceMillis).then(() => "late" as const)
    const first = await Promise.race([answer, patience])
    return first === "late" ? this.#countRepeat(`no answer within ${patienceMillis} ms`) : first
  }

  /** Journals an answer; undefined where the request is to be repeated. */
  #take({ kind, seller, mode, key }: Asked, answer: ApiAnswer): ApiAnswer | undefined {
    if (answer.status === 201) {
      const { id, amount, status, pix } = answer.json() as Created
      this.#world.journal.tell({ kind, feed: feedOf(seller, mode), key, id, amount, status })
      if (pix !== undefined) this.#watch(this.#pay(id, pix.txid, mode))
      if (this.#requests % readEvery === 0) this.#watch(this.#read(seller, mode, id))
      return answer
    }
    const { error } = answer.json() as { readonly error: { readonly code: string; readonly message: string } }
    if (answer.status === 503) return this.#countRepeat(`503 ${error.message}`)
    if (error.code === "idempotency_in_progress") return this.#countRepeat(error.code)
    // The withdrawal before is not over, the money of a charge is not there yet, or the day has had its withdrawals.
    const isRefusal = answer.status === 409 && kind === "withdrawal"
    // The bank did not answer in time, or not well: saved under the key.
    const isBanks = answer.status === 502 && mode === "live"
    if (isBanks) this.#world.journal.tell({ kind: "refusal", feed: feedOf(seller, mode), key })
    if (!isRefusal && !isBanks) this.surprises.push(`${key}: ${answer.status} ${answer.text}`)
    return answer
  }

  /** Reads a charge after a while, and journals how it was shown. */
  async #read(seller: WorldSeller, mode: Mode, id: string): Promise<void> {
    await pause(200)
    const path = `/v1/transactions/${id}`
    const answer = await this.#nextClient()
      .send("GET", path, { headers: keyOf(seller, mode) })
      .catch(() => undefined)
    if (answer?.status !== 200) return
    const { amount, status } = answer.json() as Created
    this.#world.journal.tell({ kind: "read", feed: feedOf(seller, mode), key: id, id, amount, status })
  }

  /** Pays a live charge at the bank, once, and has the bank tell a service until one has taken its notice. */
  async #pay(id: string, txid: string, mode: Mode): Promise<void> {
    if (mode !== "live" || this.#paid.has(id)) return
    this.#paid.add(id)
    await this.#notify({ endToEndId: this.#world.psp.pay(txid) })
  }

  async #notify(about: Parameters<World["psp"]["notice"]>[0]): Promise<void> {
    const { psp, services } = this.#world
    const body = psp.notice(about)
    for (let tries = 0; !this.#isStopped; tries += 1) {
      const service = services[tries % services.length]
      const answer = psp.notify(`${service?.url}/v1/webhooks/api-pix/pix`, body, webhookSecret).then(
        ({ status }) => status,
        () => undefined,
      )
      if ((await Promise.race([answer, pause(patienceMillis)])) === 200) return
      await pause(repeatMillisMax)
    }
  }

  /** Withdraws of a seller's live balance, again and again, until the load finishes. */
  async #withdraw(seller: WorldSeller): Promise<void> {
    for (let number = 1; !this.#isFinishing; number += 1) {
      await pause(withdrawalPauseMillis)
      const key = `withdrawal-${seller.id}-${number}`
      const body = JSON.stringify({ amount: 100, pix_key_id: seller.pixKeyId, description: key })
      await this.#insist({ kind: "withdrawal", seller, mode: "live", key, body })
    }
  }

  /** The bank carries out what it was asked to pay. */
  #settlePayouts(): void {
    const { psp, payoutsAsked } = this.#world
    for (const idEnvio of payoutsAsked) {
      if (this.#settled.has(idEnvio) || psp.payout(idEnvio) === undefined) continue
      this.#settled.add(idEnvio)
      psp.payoutResult(idEnvio, "REALIZADO")
      this.#watch(this.#notify({ idEnvio }))
    }
  }
}

/** Starts the load of a world: an open loop, at its rate whatever happens. */
export const startLoad = (world: World): Load => new WorldLoad(world)
