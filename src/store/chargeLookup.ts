import { hash } from "node:crypto"
import {
  type ChargeLookup,
  emailOfCharge,
  endToEndIdOfCharge,
  erasedEmail,
} from "../../actors/values/chargeLookups.ts"
import { searchTermsOf } from "../../actors/values/chargeSearch.ts"

/** Enough that two addresses of a seller do not meet: 96 bits. */
const digestLength = 16

/** What the index has for an e-mail address, whose case does not count, or an end-to-end id. */
export const lookupDigest = ({ kind, value }: ChargeLookup): string =>
  hash("sha256", `${kind} ${kind === "email" ? value.toLowerCase() : value}`, "base64url").slice(
    0,
    digestLength,
  )

/** The digest of the customer's address in a stored charge; "" if it was erased. */
const emailDigest = (document: string): string => {
  const value = emailOfCharge(document)
  return value === undefined || value === erasedEmail ? "" : lookupDigest({ kind: "email", value })
}

/** The digest of a stored charge's payment; "" before it is paid. */
export const paymentDigest = (document: string): string => {
  const value = endToEndIdOfCharge(document)
  return value === undefined ? "" : lookupDigest({ kind: "end_to_end_id", value })
}

/** What a stored charge is found by from its creation on: the digest of the address, and terms of searches. */
export const createdTermsOf = (document: string): ReadonlyArray<string> =>
  [emailDigest(document), ...searchTermsOf(document)].filter((term) => term !== "")

/** All that a stored charge is found by. */
export const lookupTermsOf = (document: string): ReadonlyArray<string> =>
  [...createdTermsOf(document), paymentDigest(document)].filter((term) => term !== "")
