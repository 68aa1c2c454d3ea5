import { computed } from "@preact/signals"
import { language } from "./i18n.ts"

const timeZone = "America/Sao_Paulo"

const money = computed(() => new Intl.NumberFormat(language.value, { style: "currency", currency: "BRL" }))
const count = computed(() => new Intl.NumberFormat(language.value))
const percent = computed(
  () => new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 1 }),
)
const moment = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      timeZone,
      day: "2-digit",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
)
const clock = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
)
const hour = computed(
  () => new Intl.DateTimeFormat(language.value, { timeZone, hour: "2-digit", minute: "2-digit" }),
)
const dayAndMonth = computed(
  () => new Intl.DateTimeFormat(language.value, { timeZone, day: "2-digit", month: "2-digit" }),
)
const date = computed(
  () =>
    new Intl.DateTimeFormat(language.value, { timeZone, day: "2-digit", month: "short", year: "numeric" }),
)
/** `YYYY-MM-DD`, as the API takes days. */
const isoDay = new Intl.DateTimeFormat("en-CA", {
  timeZone,
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
})

/** Centavos as `R$ 12,90`. */
export const formatMoney = (centavos: number): string => money.value.format(centavos / 100)

/** A number with separators of thousands. */
export const formatCount = (value: number): string => count.value.format(value)

/** A CPF or CNPJ with its punctuation; any other text as it is. */
export const formatDocument = (text: string): string =>
  text.length === 11
    ? text.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4")
    : text.replace(/^(\w{2})(\w{3})(\w{3})(\w{4})(\d{2})$/, "$1.$2.$3/$4-$5")

/** A share of 0 to 1 as `97,5%`. */
export const formatPercent = (share: number): string => percent.value.format(share)

/** A date-time of the API as date and time in São Paulo. */
export const formatMoment = (at: string): string => moment.value.format(new Date(at))

/** A date-time of the API as the time of day in São Paulo. */
export const formatClock = (at: string): string => clock.value.format(new Date(at))

/** A date-time of the API as hour and minute in São Paulo. */
export const formatHour = (at: string): string => hour.value.format(new Date(at))

/** A date-time of the API as day and month in São Paulo, for axes. */
export const formatDayAndMonth = (at: string): string => dayAndMonth.value.format(new Date(at))

/** A date-time of the API as the date in São Paulo. */
export const formatDate = (at: string): string => date.value.format(new Date(at))

/** The day in São Paulo, as `YYYY-MM-DD`. */
export const dayOf = (at: Date): string => isoDay.format(at)

/** Centavos as people type an amount: `12,90`. */
export const formatAmountInput = (centavos: number): string =>
  `${Math.floor(centavos / 100)},${String(centavos % 100).padStart(2, "0")}`
