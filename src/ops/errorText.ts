import type { ApiError } from "../../schema/errors.ts"
import { fields, note, renderBlocks } from "./text/blocks.ts"
import { inert } from "./text/values.ts"

/** A failure in words, without colours: stderr may be another place than the terminal. */
export const errorText = ({ message, code, param, details }: ApiError, requestId: string): string =>
  renderBlocks(
    [
      note(`Error: ${inert(message)}`),
      fields(
        ["Code", code],
        ...(param === undefined ? [] : [["At", param] as const]),
        ...Object.entries(details ?? {}),
        ["Request", requestId],
      ),
    ],
    (_style, text) => text,
  )
