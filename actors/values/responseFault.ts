/** What is wrong with a response that is not HTTP/1.1, in an attempt's `error` (docs/contract/deliveries.md#not-http). */
export const responseFaults = [
  "response_head_too_large",
  "response_bare_line_feed",
  "response_two_lengths",
  "response_switches_protocols",
  "response_not_http",
] as const
export type ResponseFault = (typeof responseFaults)[number]

/** Whether an attempt failed because its receiver answered, but not with HTTP/1.1. */
export const isResponseFault = (error: string | null): boolean =>
  responseFaults.some((fault) => fault === error)
