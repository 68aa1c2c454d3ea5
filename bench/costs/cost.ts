/**
 * What is measured: the service with it beside the service without it. `nothing` is the same service twice, and
 * `nothing, one process` one service beside itself: the noise.
 */
export type Cost =
  | "nothing"
  | "nothing, one process"
  | "metrics"
  | "series and search"
  | "ordering"
  | "a traceparent"
