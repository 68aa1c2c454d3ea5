/** What is measured: the service with it beside the service without it. `nothing` is the same service twice: the noise. */
export type Cost = "nothing" | "metrics" | "series and search" | "ordering" | "a traceparent"
