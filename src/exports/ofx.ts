import { localTimeOf } from "../../actors/values/saoPauloDays.ts"
import { type CsvLocale, inReais } from "../../schema/csv.ts"
import { ofxContentType } from "../../schema/exportFormats.ts"
import { type Feed, ledgerEntryIdOf } from "../../schema/ids.ts"
import { ledgerWords } from "../../schema/ledgerWords.ts"
import { gainOf, type Movement, shownMillisOf } from "./statementTable.ts"

/** What an OFX file is of: the account, and a stretch of its clock, in ms. */
interface Account {
  readonly feed: Feed
  readonly locale: CsvLocale
  readonly fromMillis: number
  readonly toMillis: number
  readonly nowMillis: number
}

const bankId = "CORRENTE"
const accountIdLengthMax = 22
const testPrefix = "TEST-"
const memoLengthMax = 255

/** An account of OFX is named by at most 22 characters: the end of the seller's id, which no two sellers share. */
const accountIdOf = ({ sellerId, mode }: Feed): string => {
  const prefix = mode === "test" ? testPrefix : ""
  return prefix + sellerId.slice(prefix.length - accountIdLengthMax)
}

/** The bytes 80 to 9F, where Windows-1252 differs from Latin-1. */
const typographic = new Map(
  Array.from({ length: 0x20 }, (_, index) => {
    const byte = 0x80 + index
    return [new TextDecoder("windows-1252").decode(Uint8Array.of(byte)), byte] as const
  }),
)

const byteOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code
  const byte = typographic.get(character)
  if (byte !== undefined) return byte
  const base = character.normalize("NFD").codePointAt(0) ?? 0
  return base < 0x80 ? base : 0x3f
}

/** Text in Windows-1252, the character set that the header names. Other letters lose their accents; what has none becomes `?`. */
const encoded = (text: string): Uint8Array => Uint8Array.from(text.normalize("NFC"), byteOf)

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const element = (name: string, value: string): string =>
  `<${name}>${value.replace(/[&<>]/g, (character) => entities[character] ?? "")}</${name}>\r\n`

const aggregate = (name: string, ...content: ReadonlyArray<string>): string =>
  `<${name}>\r\n${content.join("")}</${name}>\r\n`

/** A moment as clocks in São Paulo showed it, and how far they were from UTC: `20261121090000[-3:BRT]`. */
const moment = (millis: number): string => {
  const { day, time } = localTimeOf(millis)
  const hours = Math.round((Date.parse(`${day}T${time}Z`) - millis) / 3_600_000)
  return `${`${day}${time}`.replace(/\D/g, "")}[${hours}:${hours === -2 ? "BRST" : "BRT"}]`
}

const feeWords = { "pt-BR": { fee: "tarifa", decimal: "," }, en: { fee: "fee", decimal: "." } } as const

/** A withdrawal leaves as one amount, and a bank's statement has its two parts. */
const splitOf = ({ entry, withdrawal }: Movement, locale: CsvLocale): string | undefined => {
  const isWhole = entry.kind === "withdrawal_held" || entry.kind === "withdrawal_returned"
  if (withdrawal === undefined || withdrawal.fee === 0 || !isWhole) return undefined
  const { fee, decimal } = feeWords[locale]
  return `Pix ${inReais(withdrawal.amount, decimal)} + ${fee} ${inReais(withdrawal.fee, decimal)}`
}

const memoOf = (movement: Movement, locale: CsvLocale): string => {
  const { entry, charge, withdrawal } = movement
  const ofCharge = [charge?.customer.name, charge?.reference]
  const ofWithdrawal = [splitOf(movement, locale), withdrawal?.end_to_end_id]
  return (
    [ledgerWords[locale][entry.kind], ...ofCharge, ...ofWithdrawal]
      .filter((part) => part)
      .join(" - ")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
      .replace(/[\s\u0000-\u001F\u007F]+/g, " ")
      .slice(0, memoLengthMax)
  )
}

const transaction = (movement: Movement, { feed, locale }: Account): string => {
  const gain = gainOf(movement.entry)
  return aggregate(
    "STMTTRN",
    element("TRNTYPE", gain < 0 ? "DEBIT" : "CREDIT"),
    element("DTPOSTED", moment(shownMillisOf(movement.entry))),
    element("TRNAMT", inReais(gain)),
    element("FITID", ledgerEntryIdOf(feed, movement.entry.entryId)),
    element("MEMO", memoOf(movement, locale)),
  )
}

const header = [
  ...["OFXHEADER:100", "DATA:OFXSGML", "VERSION:102", "SECURITY:NONE", "ENCODING:USASCII"],
  ...["CHARSET:1252", "COMPRESSION:NONE", "OLDFILEUID:NONE", "NEWFILEUID:NONE", "", ""],
].join("\r\n")

const status = aggregate("STATUS", element("CODE", "0"), element("SEVERITY", "INFO"))

const openings = (account: Account): string =>
  [
    `${header}<OFX>\r\n`,
    aggregate(
      "SIGNONMSGSRSV1",
      aggregate(
        "SONRS",
        status,
        element("DTSERVER", moment(account.nowMillis)),
        element("LANGUAGE", account.locale === "pt-BR" ? "POR" : "ENG"),
      ),
    ),
    "<BANKMSGSRSV1>\r\n<STMTTRNRS>\r\n",
    element("TRNUID", "0"),
    status,
    "<STMTRS>\r\n",
    element("CURDEF", "BRL"),
    aggregate(
      "BANKACCTFROM",
      element("BANKID", bankId),
      element("ACCTID", accountIdOf(account.feed)),
      element("ACCTTYPE", "CHECKING"),
    ),
    "<BANKTRANLIST>\r\n",
    element("DTSTART", moment(account.fromMillis)),
    element("DTEND", moment(account.toMillis)),
  ].join("")

/**
 * Makes the writer of a statement in OFX 1.0.2 (SGML), which accounting programs in Brazil read
 * (`docs/contract/statement.md#ofx`). Each element is closed, so that readers of XML take it too. `footer` takes what was available, in
 * centavos, after the last movement.
 */
export const ofxWriter = (account: Account) => ({
  contentType: ofxContentType,
  ending: "ofx",
  header: encoded(openings(account)),
  rows: (movements: ReadonlyArray<Movement>): Uint8Array =>
    encoded(movements.map((movement) => transaction(movement, account)).join("")),
  footer: (available: number): Uint8Array =>
    encoded(
      [
        "</BANKTRANLIST>\r\n",
        aggregate(
          "LEDGERBAL",
          element("BALAMT", inReais(available)),
          element("DTASOF", moment(Math.min(account.toMillis, account.nowMillis))),
        ),
        "</STMTRS>\r\n</STMTTRNRS>\r\n</BANKMSGSRSV1>\r\n</OFX>\r\n",
      ].join(""),
    ),
})
