/** The ISPB that stands in simulated transfers' identifiers: no bank's. */
const simulatedIspb = "00000000"

/** A transfer's identifier: `E`, ISPB, minute (UTC) and 11 characters (decisions 3). */
export const endToEndId = (ispb: string, millis: number, suffix: string): string => {
  const minute = new Date(millis).toISOString().slice(0, 16).replace(/[-T:]/g, "")
  return `E${ispb}${minute}${suffix}`
}

/** The identifier of a transfer that no bank made; `name` is a ULID or txid, so that asking again tells the same. */
export const simulatedEndToEndId = (millis: number, name: string): string =>
  endToEndId(simulatedIspb, millis, name.slice(-11))
