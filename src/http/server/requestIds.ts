import { randomFillSync } from "node:crypto"
import { makeId } from "../../../schema/ids.ts"

const callersIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** Random bytes an id takes. */
const idBytes = 14
/** Ids one draw of random bytes is enough for: a call to the generator costs more than the rest of an id. */
const idsPerDraw = 256

/** Names requests (decisions 1): the caller's `X-Request-Id` where it is well formed, else a fresh `req_` id. */
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

  /** `callersId` is "" where the caller sent none. */
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
