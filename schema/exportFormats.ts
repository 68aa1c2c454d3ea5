/** The formats in which every list can be exported (`docs/contract/exports.md#formats`). */
export const tableFormats = ["csv", "xlsx", "ndjson"] as const
export type TableFormat = (typeof tableFormats)[number]

/** The content type of a workbook. */
export const xlsxContentType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
