import { LRUCache } from "lru-cache"
import { limits } from "../../../schema/limits.ts"
import type { StrangerRank } from "./fairWaitingRoom.ts"

/** What a network did lately: when it asked without being right, oldest first, and when a password was last wrong. */
export interface Tries {
  readonly askedAtMillis: ReadonlyArray<number>
  readonly wrongAtMillis: number | undefined
}

/** A network that never asked. */
export const noTries: Tries = { askedAtMillis: [], wrongAtMillis: undefined }

const isRecent = (atMillis: number, nowMillis: number): boolean =>
  nowMillis - atMillis < limits.triesCountedMillis

/** The rank of a network's next try. What it did longer ago than `triesCountedMillis` does not count. */
export const rankOfTries = ({ askedAtMillis, wrongAtMillis }: Tries, nowMillis: number): StrangerRank => {
  const asked = askedAtMillis.filter((atMillis) => isRecent(atMillis, nowMillis)).length
  if (wrongAtMillis === undefined || !isRecent(wrongAtMillis, nowMillis))
    return asked === 0 ? "first" : "again"
  return asked < limits.triesOften ? "wrong" : "often"
}

/** The same network after one more try. */
export const afterTry = ({ askedAtMillis, wrongAtMillis }: Tries, nowMillis: number): Tries => ({
  // More than it takes to be often need not be kept.
  askedAtMillis: [...askedAtMillis, nowMillis].slice(-limits.triesOften),
  wrongAtMillis,
})

/** The same network after a try of that time was right: that one does not count. */
export const afterRight = ({ askedAtMillis, wrongAtMillis }: Tries, triedAtMillis: number): Tries => {
  const index = askedAtMillis.lastIndexOf(triedAtMillis)
  return { askedAtMillis: askedAtMillis.filter((_, at) => at !== index), wrongAtMillis }
}

/** The same network after a try was wrong. */
export const afterWrong = ({ askedAtMillis }: Tries, nowMillis: number): Tries => ({
  askedAtMillis,
  wrongAtMillis: nowMillis,
})

/**
 * The tries of at most `networksMax` networks; the one that asked longest ago is forgotten for a new one. Each process
 * has its own, because it has its own password threads, and a network's tries here compete only for these.
 */
export class RecentTries {
  readonly #networks: LRUCache<string, Tries>

  constructor(networksMax: number = limits.triesNetworksMax) {
    this.#networks = new LRUCache({ max: networksMax })
  }

  get size(): number {
    return this.#networks.size
  }

  #of(network: string): Tries {
    return this.#networks.get(network) ?? noTries
  }

  /** Counts a try and returns its rank. */
  tried(network: string, nowMillis: number): StrangerRank {
    const before = this.#of(network)
    this.#networks.set(network, afterTry(before, nowMillis))
    return rankOfTries(before, nowMillis)
  }

  /** The network's try of that time was right. */
  right(network: string, triedAtMillis: number): void {
    this.#networks.set(network, afterRight(this.#of(network), triedAtMillis))
  }

  /** A try of the network was wrong. */
  wrong(network: string, nowMillis: number): void {
    this.#networks.set(network, afterWrong(this.#of(network), nowMillis))
  }
}
