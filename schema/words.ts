/** A text of the contract that people read in pages, in both their languages. */
export interface Words {
  readonly "pt-BR": string
  readonly en: string
}
