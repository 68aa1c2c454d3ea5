/** Stream: operators' actions (docs/contract/admin.md#audit-log). */
export const auditKey = "audit"
