/** The languages of receipts. */
export type ReceiptLanguage = "pt-BR" | "en"

/** A line of a receipt. */
export interface ReceiptFact {
  readonly label: string
  readonly value: string
  /** An id, which is written in letters of one width. */
  readonly isCode?: boolean
}

/** What a receipt says, in its language: its page, its PDF and its mail say the same. */
export interface Receipt {
  readonly language: ReceiptLanguage
  /** The file's name, without its ending. */
  readonly file: string
  readonly title: string
  /** Says that no money moved; undefined in live. */
  readonly testMode: string | undefined
  /** The payee, by a name that its brand does not change, and the brand's name where that differs. */
  readonly issuer: string
  readonly shop: string | undefined
  readonly amount: string
  readonly facts: ReadonlyArray<ReceiptFact>
  readonly footer: string
  /** A PNG in base64. */
  readonly logo: string | undefined
  /** `#rrggbb` */
  readonly color: string | undefined
}
