/** The timer of a bulk act that has rows left. */
export const bulkTimerName = "bulk"
