import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import type { StoredException } from "../../ports/exceptionStore.ts"
import { exceptionRefused } from "./exceptionActs.ts"

/** What one of the acquirer's sources (a query, a list) says of the money that an act would end. */
export type BankWord =
  | {
      readonly kind: "said"
      /** As `details.bank_says` shows it. */
      readonly status: string
      /** Whether the money has left there; undefined while that is not decided there. */
      readonly isGone: boolean | undefined
      /** The acquirer's id of what left: a return's, a payout's end-to-end id. */
      readonly reference?: string | undefined
    }
  | { readonly kind: "silent"; readonly reason: string }

type Said = Extract<BankWord, { readonly kind: "said" }>

/** The word that decides: money that left by one source has left, and nothing is decided while one source has not decided. */
export const decidingWord = (words: ReadonlyArray<BankWord>): Said | undefined => {
  const said = words.filter((word) => word.kind === "said")
  return (
    said.find(({ isGone }) => isGone === true) ??
    said.find(({ isGone }) => isGone === undefined) ??
    said.find(({ isGone }) => isGone === false)
  )
}

/**
 * Why an act may not end money that the acquirer was asked about (docs/contract/exceptions.md#the-bank-is-asked-first): 409
 * `invalid_state` where what it says contradicts the act, 503 where a source did not answer and none says that the money has left.
 * `isWithoutBank`: operators decide without the missing answers. Undefined where it may.
 */
export const bankRefusal = (
  stored: StoredException,
  act: "settle" | "fail",
  words: ReadonlyArray<BankWord>,
  isWithoutBank: boolean,
): ApiError<"invalid_state" | "service_unavailable"> | undefined => {
  const word = decidingWord(words)
  const silent = words.find((said) => said.kind === "silent")
  if (silent !== undefined && !isWithoutBank && word?.isGone !== true) {
    return serviceUnavailable(
      `The bank does not say what became of it: ${silent.reason}. Try again, or send "without_bank": true, which takes two operators.`,
    )
  }
  if (word?.isGone !== (act === "fail")) return undefined
  const why = `cannot be resolved by '${act}': asked just now, the bank says '${word.status}'`
  return exceptionRefused(stored, why, { bank_says: word.status })
}
