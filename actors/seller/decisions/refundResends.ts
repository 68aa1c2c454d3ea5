import { limits } from "../../../schema/limits.ts"
import { pollDelayMillis } from "./withdrawalTransitions.ts"

/**
 * How long until a refund that the acquirer never heard of is asked about, and sent, again: as long as between polls, and ten minutes
 * once its first sending is an hour old (docs/contract/refunds.md#live).
 */
export const refundResendDelayMillis = (sentMillis: number, nowMillis: number): number =>
  nowMillis - sentMillis < limits.refundResendOftenMillis
    ? pollDelayMillis(sentMillis, nowMillis)
    : limits.refundResendMillisMin
