import { Histogram, requestBounds } from "../../../actors/metrics/histogram.ts"
import type { Registrar } from "../../../actors/metrics/registrar.ts"
import type { Route } from "./route.ts"

/** The answers of one route. */
class RouteMetrics {
  readonly #registrar: Registrar
  readonly #labels: Readonly<Record<string, string>>
  readonly #durations = new Histogram(requestBounds)
  readonly #answers = new Map<number, { count: number }>()

  constructor(registrar: Registrar, method: string, path: string) {
    this.#registrar = registrar
    this.#labels = { method, route: path }
    const series = {
      name: "corrente_http_request_duration_seconds",
      description: "Time from the head of a request to its answer, or to the head of a stream",
      labels: this.#labels,
    }
    registrar.histogram(series, this.#durations)
  }

  answered(status: number, beganMillis: number): void {
    this.#durations.recordSince(beganMillis)
    const answers = this.#answers.get(status)
    if (answers === undefined) this.#begin(status)
    else answers.count += 1
  }

  #begin(status: number): void {
    const answers = { count: 1 }
    this.#answers.set(status, answers)
    const series = {
      name: "corrente_http_requests_total",
      description: "Answered requests",
      labels: { ...this.#labels, status: String(status) },
    }
    this.#registrar.counter(series, () => answers.count)
  }
}

/** Counts answered requests by their route's template and status; a route's series begin with its first answer. */
export class RequestMetrics {
  readonly #registrar: Registrar
  readonly #byRoute = new Map<Route, RouteMetrics>()
  readonly #byName = new Map<string, RouteMetrics>()

  constructor(registrar: Registrar) {
    this.#registrar = registrar
  }

  /** Counts an answer to a request that began at `beganMillis` of `performance.now()`. */
  answered(route: Route, status: number, beganMillis: number): void {
    const metrics = this.#byRoute.get(route) ?? this.#begin(route)
    metrics.answered(status, beganMillis)
  }

  /** Dead ends are several routes of one name, as are files. */
  #begin(route: Route): RouteMetrics {
    const { method, path, metricsPath = path } = route
    const name = `${method} ${metricsPath}`
    const metrics = this.#byName.get(name) ?? new RouteMetrics(this.#registrar, method, metricsPath)
    this.#byName.set(name, metrics)
    this.#byRoute.set(route, metrics)
    return metrics
  }
}
