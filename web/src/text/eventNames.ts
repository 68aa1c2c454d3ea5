import { type CatalogEntry, eventTypeOf } from "../../../schema/events.ts"
import { language, textIn, textsOf } from "./i18n.ts"

/** What an event type says, in the page's language; a type that this version does not know is shown as it is. */
export const eventName = (type: string): string => eventTypeOf(type)?.name[language.value] ?? type

const families = textsOf<Readonly<Record<CatalogEntry["resourceType"], string>>>({
  "pt-BR": {
    transaction: "Cobranças",
    withdrawal: "Saques",
    refund: "Devoluções",
    exception: "Pagamentos fora do esperado",
    payment_link: "Links de pagamento",
    seller: "Conta",
    ping: "Pings",
  },
  en: {
    transaction: "Charges",
    withdrawal: "Withdrawals",
    refund: "Refunds",
    exception: "Unexpected payments",
    payment_link: "Payment links",
    seller: "Account",
    ping: "Pings",
  },
})

/** The events of one kind of resource, in words. */
export const familyName = (family: string): string => textIn(families.value, family)
