/** By what a charge is found besides its id and txid. */
export interface ChargeLookup {
  readonly kind: "email" | "end_to_end_id"
  readonly value: string
}

/** The address of an erased customer, by which no charge is found. */
export const erasedEmail = "erased@erased.invalid"

/**
 * The customer's address of a stored charge: the first `email`, since quotes in texts are escaped. Every new charge comes by here, and
 * to search a text takes a tenth of parsing it.
 */
export const emailOfCharge = (document: string): string | undefined => {
  const found = /"email":("(?:[^"\\]|\\.)*")/.exec(document)?.[1]
  return found === undefined ? undefined : String(JSON.parse(found))
}

/**
 * The payment link that a stored charge was made through. `items` follow it, which are no text: nothing that somebody typed matches.
 */
export const paymentLinkOfCharge = (document: string): string | undefined =>
  /,"payment_link_id":"(plk_[0-9A-Z]+)","items":\[\{/.exec(document)?.[1]

/** The end-to-end id of a stored charge, which follows the object `pix`; undefined before it is paid. */
export const endToEndIdOfCharge = (document: string): string | undefined =>
  /\},"end_to_end_id":"([^"\\]*)"/.exec(document)?.[1]

/** Whether a stored charge is what is looked for. The case of addresses does not count. */
export const isFoundBy = (document: string, { kind, value }: ChargeLookup): boolean =>
  kind === "email"
    ? emailOfCharge(document)?.toLowerCase() === value.toLowerCase()
    : endToEndIdOfCharge(document) === value
