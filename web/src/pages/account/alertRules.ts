import { parseAmount } from "../../../../schema/amountText.ts"
import { type AlertWhen, alertsWithAmount, alertWhens } from "../../../../schema/names.ts"
import type { Alert, Notifications } from "../../../../schema/resources/notifications.ts"
import { formatAmountInput } from "../../text/amount.ts"

/** A kind of alert as the form has it. */
export interface AlertRow {
  readonly when: AlertWhen
  readonly mail: boolean
  readonly chat: boolean
  /** As typed; undefined for kinds without one. */
  readonly amount: string | undefined
  /** Where it goes, if that is not where the others go. */
  readonly otherUrl: string | undefined
}

/** The URL that most alerts go to: the form has a field for one, though each may have its own. */
export const commonUrl = ({ data }: Notifications): string => {
  const urls = data.flatMap(({ url }) => (url === undefined ? [] : [url]))
  const countOf = (url: string) => urls.filter((other) => other === url).length
  return urls.toSorted((left, right) => countOf(right) - countOf(left))[0] ?? ""
}

/** A row for each kind. */
export const rowsOf = (notifications: Notifications): ReadonlyArray<AlertRow> => {
  const common = commonUrl(notifications)
  return alertWhens.map((when) => {
    const found = notifications.data.find((alert) => alert.when === when)
    return {
      when,
      mail: found?.mail ?? false,
      chat: found?.url !== undefined,
      amount: alertsWithAmount.includes(when)
        ? found?.min_amount === undefined
          ? ""
          : formatAmountInput(found.min_amount)
        : undefined,
      otherUrl: found?.url === common ? undefined : found?.url,
    }
  })
}

/** What a row says is wrong, if something is. */
export const faultOf = (row: AlertRow, url: string): "noUrl" | "noAmount" | undefined => {
  if (row.chat && row.otherUrl === undefined && url === "") return "noUrl"
  const isOn = row.mail || row.chat
  return isOn && row.amount !== undefined && parseAmount(row.amount) === undefined ? "noAmount" : undefined
}

/** What is sent: a row that goes nowhere and has no amount is left out. */
export const alertsOf = (rows: ReadonlyArray<AlertRow>, url: string): Notifications => ({
  data: rows.flatMap(({ when, mail, chat, amount, otherUrl }): ReadonlyArray<Alert> => {
    const centavos = amount === undefined ? undefined : parseAmount(amount)
    if ((!mail && !chat && centavos === undefined) || (amount !== undefined && centavos === undefined))
      return []
    return [
      {
        when,
        mail,
        ...(chat ? { url: otherUrl ?? url } : {}),
        ...(centavos === undefined ? {} : { min_amount: centavos }),
      },
    ]
  }),
})
