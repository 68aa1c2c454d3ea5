import { erasedEmail } from "../../../actors/values/chargeLookups.ts"
import { type SealedPlace, sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { Delivery } from "../../../schema/resources/delivery.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"

/** What stands for an erased customer. Each is a value that the contract allows. */
export const placeholders = {
  name: "erased",
  email: erasedEmail,
  document: "00000000000",
  phone: "erased",
} as const

/** The sealed or plain document of the customer in a stored charge: the first `document`, as a text's quotes are escaped. */
export const storedDocument = (text: string): string | undefined => /"document":"([^"\\]*)"/.exec(text)?.[1]

/** Whether a stored charge's customer was replaced before. */
export const isErased = (text: string): boolean =>
  text.includes(`"customer":{"name":"${placeholders.name}","email":"${placeholders.email}","document":"`)

/** A stored charge with placeholders for its customer; all else is the same, byte for byte. */
export const withoutCustomer = (
  text: string,
  seal: (document: string, place: SealedPlace) => string,
): string => {
  const charge = JSON.parse(text) as Transaction
  const customer: Transaction["customer"] = {
    name: placeholders.name,
    email: placeholders.email,
    document: seal(placeholders.document, sealedPlaces.customerDocument(charge.id)),
    phone: charge.customer.phone === null ? null : placeholders.phone,
  }
  return JSON.stringify({ ...charge, customer })
}

/** The detail of an attempt without what its receiver answered; undefined if there is nothing to replace. */
export const withoutExcerpt = (text: string): string | undefined => {
  const detail = JSON.parse(text) as { readonly response_body_excerpt: string | null } & Partial<Delivery>
  return detail.response_body_excerpt === null
    ? undefined
    : JSON.stringify({ ...detail, response_body_excerpt: null })
}
