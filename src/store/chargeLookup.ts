import { hash } from "node:crypto"
import {
  type ChargeLookup,
  endToEndIdOfCharge,
  paymentLinkOfCharge,
} from "../../actors/values/chargeLookups.ts"
import { searchTermsOf, termOfText } from "../../actors/values/chargeSearch.ts"

/** Enough that two payments of a seller do not meet: 96 bits. */
const digestLength = 16

const endToEndIdDigest = (value: string): string =>
  hash("sha256", `end_to_end_id ${value}`, "base64url").slice(0, digestLength)

/** What the index has for an e-mail address or an end-to-end id. Addresses may share their term with others: charges tell. */
export const lookupTerm = ({ kind, value }: ChargeLookup): string =>
  kind === "email" ? termOfText(value) : endToEndIdDigest(value)

/** The digest of a stored charge's payment; "" before it is paid. */
export const paymentDigest = (document: string): string => {
  const value = endToEndIdOfCharge(document)
  return value === undefined ? "" : endToEndIdDigest(value)
}

/** What a stored charge is found by from its creation on: its customer, where it names one, its payment link, and terms of searches. */
export const createdTermsOf = (document: string, customer: string | undefined): ReadonlyArray<string> =>
  [customer ?? "", paymentLinkOfCharge(document) ?? "", ...searchTermsOf(document)].filter(
    (term) => term !== "",
  )

/** All that a stored charge is found by. */
export const lookupTermsOf = (document: string, customer: string | undefined): ReadonlyArray<string> =>
  [...createdTermsOf(document, customer), paymentDigest(document)].filter((term) => term !== "")
