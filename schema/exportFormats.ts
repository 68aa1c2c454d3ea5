/** The formats in which every list can be exported (`docs/contract/exports.md#formats`). */
export const tableFormats = ["csv", "xlsx", "ndjson"] as const
export type TableFormat = (typeof tableFormats)[number]

/** The formats of a statement: accounting programs read the movements of an account as OFX (`docs/contract/statement.md#ofx`). */
export const statementFormats = [...tableFormats, "ofx"] as const
export type StatementFormat = (typeof statementFormats)[number]

/** The content type of OFX 1.0.2. */
export const ofxContentType = "application/x-ofx"

/** The content type of a workbook. */
export const xlsxContentType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
