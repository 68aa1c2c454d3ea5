import { family, type KeyFamilies } from "../keyFamily.ts"

/** Stream: operators' actions (docs/contract/admin.md#audit-log). */
export const operatorLogKey = "audit"

/** The key family of the operators' log. */
export const operatorLogFamilies: KeyFamilies = {
  ofService: () => [family("audit", operatorLogKey, "stream", "actions of operators")],
}
