/** The ISPB of simulated transfers, which no bank has. */
const simulatedIspb = "00000000"

/** A transfer's identifier: `E`, ISPB, minute (UTC) and 11 characters (docs/contract/withdrawals.md#payout). */
export const endToEndId = (ispb: string, millis: number, suffix: string): string => {
  const minute = new Date(millis).toISOString().slice(0, 16).replace(/[-T:]/g, "")
  return `E${ispb}${minute}${suffix}`
}

/** The identifier of a simulated transfer; derived from a ULID or txid, so that it is the same each time. */
export const simulatedEndToEndId = (millis: number, name: string): string =>
  endToEndId(simulatedIspb, millis, name.slice(-11))

/** The identifier of a simulated return (`rtrId`): like a transfer's, with a `D`. */
export const simulatedReturnId = (millis: number, name: string): string =>
  `D${simulatedEndToEndId(millis, name).slice(1)}`
