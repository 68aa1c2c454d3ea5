import { Context, Metric } from "effect"
import { Histogram, requestBounds } from "../../actors/metrics/histogram.ts"
import type { Registrar } from "../../actors/metrics/registrar.ts"
import { RequestMetrics } from "../../src/http/server/requestMetrics.ts"
import { deadEnd } from "../../src/http/server/router.ts"
import { CommandTimes } from "../../src/store/redis/commandTimes.ts"
import { microBench } from "./microBench.ts"

const unread: Registrar = { counter: () => {}, gauge: () => {}, histogram: () => {} }
const routes = Array.from({ length: 64 }, (_, index) => ({ ...deadEnd, method: "GET", path: `/v1/${index}` }))
const done = { length: 1 }

const requests = new RequestMetrics(unread)

/** All that metrics cost a request in the front end: both readings of the clock, and counting the answer. */
export const requestMetricsBench = microBench("count an answer", routes, (route) => {
  requests.answered(route, 200, performance.now())
  return done
})

const outcome = { answered: () => {}, failed: () => {} }
const send = new CommandTimes(unread).timed((_command, _args, timed) => timed.answered(null, 0))
const calls = routes.map((_, index) => [`corrente_function_${index % 8}`, 1, "key"] as const)

/** All that metrics cost a commit: a connection reads the clock at each reply anyhow. */
export const commandTimesBench = microBench("time a commit", calls, (args) => {
  send("FCALL", args, outcome)
  return done
})

const context = Context.make(Metric.MetricRegistry, new Map())
const effects = routes.map(({ method, path }) => {
  const attributes = { method, route: path }
  return {
    answers: Metric.counter("answers", { attributes: { ...attributes, status: "200" } }),
    durations: Metric.histogram("durations", { attributes, boundaries: requestBounds }),
  }
})

/** The same as "count an answer" by Effect's metrics, made beforehand. */
export const effectMetricsBench = microBench("count an answer by Effect's metrics", effects, (metrics) => {
  const beganMillis = performance.now()
  metrics.answers.updateUnsafe(1, context)
  metrics.durations.updateUnsafe((performance.now() - beganMillis) / 1_000, context)
  return done
})

const histogram = new Histogram(requestBounds)
const durations = Array.from({ length: 64 }, (_, index) => index / 64)

/** A histogram alone. */
export const histogramBench = microBench("record a duration", durations, (seconds) => {
  histogram.record(seconds)
  return done
})
