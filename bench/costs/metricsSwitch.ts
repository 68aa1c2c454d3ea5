import { request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { renderedEveryMillis } from "../../src/scrape/route.ts"
import type { SliceResult } from "./slices.ts"

/** The sum of a counter over all of its labels. */
const sumOf = (exposition: string, counter: string): number =>
  exposition
    .split("\n")
    .filter((line) => line.startsWith(`${counter}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)

/** Switches what a service records that was started with `switchedMetrics.ts`, and proves that it does. */
export class MetricsSwitch {
  readonly #socket: string
  readonly #metrics: string

  /** `socket` is the path that the service was started with. */
  constructor(socket: string, { port }: { readonly port: number }) {
    this.#socket = socket
    this.#metrics = `http://127.0.0.1:${port}/metrics`
  }

  /** Completes when the service records, or does not. */
  async turn(isOn: boolean): Promise<void> {
    await this.#ask(isOn ? "/on" : "/off")
    const before = await this.#counted()
    const counted = (await this.#counted()) - before
    if (counted !== (isOn ? 1 : 0)) throw new Error(`a scrape was counted ${counted} times, switched ${isOn}`)
  }

  /** Measures in slices while `load` runs: with and without recording, or, as the noise, with it in both. */
  async slices(load: () => Promise<unknown>, isSwitched: boolean): Promise<SliceResult> {
    const before = await this.#counted()
    await this.#ask(isSwitched ? "/slices/switched" : "/slices/alike")
    await load()
    const result = JSON.parse(await this.#ask("/slices/end")) as SliceResult
    // And the scrape before.
    const counted = (await this.#counted()) - before - 1
    const recorded = result.with.answers + (isSwitched ? 0 : result.without.answers)
    if (counted !== recorded || recorded === 0) {
      throw new Error(`${counted} answers were counted, ${recorded} in slices that record`)
    }
    return result
  }

  /** How many requests the service has counted. A scrape is rendered at most once a second, so the last rendering must age. */
  async #counted(): Promise<number> {
    await setTimeout(renderedEveryMillis + 50)
    return sumOf(await (await fetch(this.#metrics)).text(), "corrente_http_requests_total")
  }

  #ask(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { socketPath: this.#socket, path }
      request(options, (response) => resolve(text(response)))
        .once("error", reject)
        .end()
    })
  }
}
