import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { csvLocales } from "../csv.ts"
import { tableFormats, xlsxContentType } from "../exportFormats.ts"

/** The language of a file. */
export const localeQuery = {
  locale: Schema.optionalKey(Schema.Literals(csvLocales)).annotateKey({
    description:
      "`pt-BR`, the default: words in Portuguese, and CSV for a spreadsheet in Brazil, with semicolons, decimal commas and a byte order mark. `en`: English words, and CSV by RFC 4180.",
    parameterSchema: { type: "string", enum: [...csvLocales], default: "pt-BR" },
  }),
}

/** How a list is exported. */
export const exportQuery = {
  format: Schema.optionalKey(Schema.Literals(tableFormats)).annotateKey({
    description: "The kind of file.",
    parameterSchema: { type: "string", enum: [...tableFormats], default: "csv" },
  }),
  ...localeQuery,
}

/** Examples of a file's first lines. */
interface FileExamples {
  /** What the file has, such as "one line for each charge, newest first". */
  readonly lines: string
  readonly csv: ReadonlyArray<string>
  readonly ndjson: string
}

/** The answers of a route that exports a list. */
export const exportedFiles = ({ lines, csv, ndjson }: FileExamples) =>
  [
    Schema.String.annotate({
      examples: [`${csv.join("\r\n")}\r\n`],
      description: `CSV: a header and ${lines}; amounts in reais.`,
    }).pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
    Schema.String.annotate({
      examples: [ndjson],
      description: `JSON lines: ${lines}, each a JSON object; amounts are integers in centavos.`,
    }).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" })),
    Schema.Uint8Array.annotate({
      description: `An Excel workbook: a row of titles and ${lines}; amounts and dates are numbers with a format.`,
    }).pipe(HttpApiSchema.asUint8Array({ contentType: xlsxContentType })),
  ] as const
