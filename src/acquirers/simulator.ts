import { Clock, Effect, Layer } from "effect"
import { type Acquirer, Acquirers, type ChargeOutcome, ChargeRefused } from "../../actors/ports/acquirer.ts"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"

/** The ISPB that stands in the simulator's transfer identifiers: no bank's. */
const simulatorIspb = "00000000"

/** decisions 2: what the last two digits of the amount make of a charge. */
export const triggers = {
  neverPaid: 1,
  fails: 2,
  refused: 3,
  refundedAfterwards: 4,
  chargebackAfterwards: 5,
} as const

/** What the simulator says of a charge in a status; `paid` without its transfer identifier. */
export const simulate = (
  amount: number,
  status: TransactionStatus,
): "paid" | "failed" | "refunded" | "chargeback" | "unchanged" => {
  const trigger = amount % 100
  if (status === "pending") {
    if (trigger === triggers.neverPaid || trigger === triggers.refused) return "unchanged"
    return trigger === triggers.fails ? "failed" : "paid"
  }
  if (status === "paid" && trigger === triggers.refundedAfterwards) return "refunded"
  if (status === "paid" && trigger === triggers.chargebackAfterwards) return "chargeback"
  return "unchanged"
}

/** `E`, ISPB, minute (UTC) and 11 characters (decisions 3). */
export const endToEndId = (ispb: string, nowMillis: number, suffix: string): string => {
  const minute = new Date(nowMillis).toISOString().slice(0, 16).replace(/[-T:]/g, "")
  return `E${ispb}${minute}${suffix}`
}

/** How the simulator behaves. */
export interface SimulatorOptions {
  /** From creation to the payer's payment, and from there to a refund or chargeback. */
  readonly delayMillis: number
  /** A pretended partner's latency; above 0 the simulator is treated as a remote partner. */
  readonly chargeLatencyMillis: number
  /** Host of the charges' locations, without scheme. */
  readonly locationHost: string
}

/** The simulated acquirer: test mode, and live in development (decisions 3). */
export const makeSimulator = (options: SimulatorOptions, identifiers: Identifiers["Service"]): Acquirer => {
  const createCharge: Acquirer["createCharge"] = ({ amount }) => {
    const trigger = amount % 100
    const latency = options.chargeLatencyMillis > 0 ? Effect.sleep(options.chargeLatencyMillis) : Effect.void
    if (trigger === triggers.refused) {
      return Effect.andThen(
        latency,
        Effect.fail(new ChargeRefused({ reason: "the simulator refuses amounts that end in 03" })),
      )
    }
    return Effect.andThen(
      latency,
      Effect.sync(() => ({
        location: `${options.locationHost}/qr/v2/${locationToken(identifiers)}`,
        askAfterMillis: trigger === triggers.neverPaid ? undefined : options.delayMillis,
      })),
    )
  }

  const query: Acquirer["query"] = ({ amount, status }) =>
    Effect.map(Clock.currentTimeMillis, (nowMillis): ChargeOutcome => {
      const outcome = simulate(amount, status)
      switch (outcome) {
        case "paid": {
          const goesOn = simulate(amount, "paid") !== "unchanged"
          return {
            status: "paid",
            endToEndId: endToEndId(simulatorIspb, nowMillis, identifiers.alphanumeric(11)),
            askAfterMillis: goesOn ? options.delayMillis : undefined,
          }
        }
        case "failed":
          return { status: "failed", reason: "the simulator fails amounts that end in 02" }
        case "unchanged":
          return { status: "unchanged", askAfterMillis: undefined }
        default:
          return { status: outcome }
      }
    })

  return { slug: "simulator", isLocal: options.chargeLatencyMillis === 0, createCharge, query }
}

const locationToken = (identifiers: Identifiers["Service"]): string => {
  const hex = "0123456789abcdef"
  let token = ""
  for (const character of identifiers.alphanumeric(32)) token += hex[character.charCodeAt(0) & 15]
  return token
}

/** The simulator for both modes. */
export const AcquirersLive = (options: SimulatorOptions) =>
  Layer.effect(
    Acquirers,
    Effect.gen(function* () {
      const simulator = makeSimulator(options, yield* Identifiers)
      return { live: simulator, test: simulator }
    }),
  )
