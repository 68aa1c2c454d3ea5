import { Histogram, requestBounds } from "../../../actors/metrics/histogram.ts"
import type { Registrar } from "../../../actors/metrics/registrar.ts"
import type { Route } from "./route.ts"

/** The answers of one route with one status. */
interface Answers {
  readonly status: number
  count: number
}

/** The answers of one route. */
class RouteMetrics {
  readonly #registrar: Registrar
  readonly #labels: Readonly<Record<string, string>>
  readonly #durations = new Histogram(requestBounds)
  readonly #answers = new Map<number, Answers>()
  /** Nearly always the next one's too. */
  #latest: Answers = { status: 0, count: 0 }

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
    if (this.#latest.status !== status) this.#latest = this.#answers.get(status) ?? this.#begin(status)
    this.#latest.count += 1
  }

  #begin(status: number): Answers {
    const answers: Answers = { status, count: 0 }
    this.#answers.set(status, answers)
    const series = {
      name: "corrente_http_requests_total",
      description: "Answered requests",
      labels: { ...this.#labels, status: String(status) },
    }
    this.#registrar.counter(series, () => answers.count)
    return answers
  }
}

/** Counts answered requests by their route's template and status; a route's series begin with its first answer. */
export class RequestMetrics {
  readonly #registrar: Registrar
  readonly #byRoute = new Map<Route, RouteMetrics>()
  readonly #byName = new Map<string, RouteMetrics>()
  /** Often the next one's too. */
  #latestRoute: Route | undefined = undefined
  #latest: RouteMetrics | undefined = undefined

  constructor(registrar: Registrar) {
    this.#registrar = registrar
  }

  /** Counts an answer to a request that began at `beganMillis` of `performance.now()`. */
  answered(route: Route, status: number, beganMillis: number): void {
    let metrics = this.#latest
    if (metrics === undefined || route !== this.#latestRoute) {
      metrics = this.#byRoute.get(route) ?? this.#begin(route)
      this.#latest = metrics
      this.#latestRoute = route
    }
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
