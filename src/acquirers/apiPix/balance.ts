import { Effect, Schema, SchemaGetter } from "effect"
import { AcquirerUnavailable } from "../../../actors/ports/acquirer.ts"
import type { BankProfile } from "./bankProfiles.ts"
import type { ApiPixClient } from "./client.ts"
import { readBody } from "./wire.ts"

/** What calls for the balance need. */
export interface BalanceCalls {
  readonly client: ApiPixClient
  /** Where the bank's APIs are, without a trailing slash. */
  readonly rootUrl: string
  readonly bank: Pick<BankProfile, "balance" | "scope">
}

const operation = "queryBalance"

/** An amount that may be negative, with two digits of centavos in text, or as a number of reais. */
const decimalPattern = /^-?\d{1,10}\.\d{2}$/
/** The largest amount of API Pix is below it. */
const reaisMax = 1e10

const centavosOfReais = (reais: number): number => Math.round(reais * 100)
/** A number in binary is a hair off its centavos. */
const hasCentavos = (reais: number): boolean =>
  Math.abs(reais) < reaisMax && Math.abs(reais * 100 - centavosOfReais(reais)) < 1e-3

const Reais = Schema.Union([
  Schema.String.check(Schema.isPattern(decimalPattern)).pipe(
    Schema.decodeTo(Schema.Finite, { decode: SchemaGetter.Number(), encode: SchemaGetter.String() }),
  ),
  Schema.Finite,
]).check(Schema.makeFilter(hasCentavos))

const readBalance = readBody(Schema.Record(Schema.String, Schema.Unknown))
const readAmount = readBody(Reais)

/** The scope that tells the balance is among those that tokens are asked for, or tokens have none. */
const isAllowed = ({ balance, scope }: BalanceCalls["bank"]): boolean =>
  balance?.scope === undefined || (scope ?? "").split(" ").includes(balance.scope)

/** Reads the balance of our account, in centavos; undefined where the bank does not tell it. */
export const makeQueryBalance = ({
  client,
  rootUrl,
  bank,
}: BalanceCalls): Effect.Effect<number, AcquirerUnavailable> | undefined => {
  const { balance } = bank
  if (balance === undefined || !isAllowed(bank)) return undefined
  const [first, ...others] = balance.members
  return Effect.gen(function* () {
    const answer = yield* client.call({
      operation,
      method: "GET",
      url: `${rootUrl}${balance.path}`,
      isRepeatable: true,
    })
    const { statusCode } = answer
    if (statusCode < 200 || statusCode >= 300) {
      return yield* new AcquirerUnavailable({ operation, reason: `answered ${statusCode}` })
    }
    const members = yield* readBalance(operation, answer)
    const told = [first, ...others.filter((name) => (members[name] ?? null) !== null)]
    const amounts = yield* Effect.forEach(told, (name) =>
      readAmount(operation, { statusCode, body: members[name] }),
    )
    return amounts.reduce((sum, reais) => sum + centavosOfReais(reais), 0)
  })
}
