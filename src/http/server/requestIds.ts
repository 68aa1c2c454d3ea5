import { randomFillSync } from "node:crypto"
import { makeId } from "../../../schema/ids.ts"

const callersIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** Random bytes per id. */
const idBytes = 14
/** Ids per draw of random bytes: a call to the generator costs more than the rest of an id. */
const idsPerDraw = 256

/**
 * Request ids: the caller's `X-Request-Id` if it is well formed, else a new `req_` id
 * (`docs/contract/README.md#headers`).
 */
export class RequestIds {
  readonly #pool = new Uint8Array(idBytes * idsPerDraw)
  readonly #views: ReadonlyArray<Uint8Array>
  readonly #nowMillis: () => number
  #next = idsPerDraw

  constructor(nowMillis: () => number) {
    this.#nowMillis = nowMillis
    this.#views = Array.from({ length: idsPerDraw }, (_, index) =>
      this.#pool.subarray(index * idBytes, (index + 1) * idBytes),
    )
  }

  /** `callersId` is "" if the caller sent none. */
  of(callersId: string): string {
    if (callersId !== "" && callersIdPattern.test(callersId)) return callersId
    if (this.#next === idsPerDraw) {
      randomFillSync(this.#pool)
      this.#next = 0
    }
    const random = this.#views[this.#next++] as Uint8Array
    return makeId("req_", this.#nowMillis(), 0, random)
  }
}
