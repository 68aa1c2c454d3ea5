import { Schema } from "effect"

/** `E`, the ISPB of the payer's bank, the minute in UTC, and 11 letters or digits (docs/contract/withdrawals.md#payout). */
const form = /^E\d{8}(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})[0-9A-Za-z]{11}$/

/** Whether a text has the form of a Pix's end-to-end id, with a minute that exists. */
const isEndToEndId = (text: string): boolean => {
  const [, year = "", month = "", day = "", hour = "", minute = ""] = form.exec(text) ?? []
  const shown = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`
  const millis = Date.parse(shown)
  return !Number.isNaN(millis) && new Date(millis).toISOString() === shown
}

/** The end-to-end id of a Pix, as callers write it. */
export const EndToEndId = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      isEndToEndId(text) ||
      "an end-to-end id: E, 8 digits of the bank, the date and time as yyyyMMddHHmm, and 11 letters or digits",
  ),
)
