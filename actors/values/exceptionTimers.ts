/** The timer of an exception whose act is under way: a refund at the acquirer, or a credit in another seller's partition. */
export const exceptionTimerName = "resolve"
