/**
 * The timers of a refund: `send_refund` when it is sent to the acquirer, `poll_refund` when the acquirer is asked about it. Their
 * names are also their kinds, which no two resources share.
 */
export const refundTimers = { send: "send_refund", poll: "poll_refund" } as const
