import { csvContentType } from "../../exports/table.ts"
import type { Reply } from "../server/reply.ts"

/** Whether `Accept` names CSV. */
export const isCsvWanted = (accept: string | undefined): boolean =>
  (accept ?? "")
    .toLowerCase()
    .split(",")
    .some((range) => range.split(";")[0]?.trim() === "text/csv")

/** A page of a list as a CSV file; `next` is the cursor of the next page. */
export const csvReply = (text: string, file: string, next: string | undefined): Reply => ({
  status: 200,
  text,
  contentType: csvContentType,
  headers: [
    ["Content-Disposition", `attachment; filename="${file}"`],
    ...(next === undefined ? [] : [["X-Next-Cursor", next] as const]),
  ],
})
