import { Effect, Layer } from "effect"
import {
  type Acquirer,
  type AcquirerBooks,
  Acquirers,
  AcquirerUnavailable,
  type BooksPage,
  type BooksWindow,
  type ReceivedPix,
  type SentPayout,
  type UnreadableItem,
} from "../../../actors/ports/acquirer.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { PartitionCount } from "../../../actors/ports/partitionCount.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import type { NoticedTransfer, ReconcileAnswer } from "../../../actors/seller/decisions/noticeAnswer.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { silentAcquirer } from "./acquirer.ts"
import { identifiers } from "./process.ts"

/** How many partitions the tests of sweeps have. */
export const partitions = 8

/** What the fake acquirer's books say, in pages. Change it as the test needs. */
export interface BooksScript {
  received: ReadonlyArray<ReadonlyArray<ReceivedPix>>
  /** Left out, the acquirer has no list of the Pix of which something went back. */
  returned?: ReadonlyArray<ReadonlyArray<ReceivedPix>>
  sent: ReadonlyArray<ReadonlyArray<SentPayout>>
  /** What the page `received 0` or `sent 1` has besides that cannot be read. */
  readonly unreadable: Map<string, ReadonlyArray<UnreadableItem>>
  /** Fails the list's page of that number. */
  failsAt: { readonly list: "received" | "sent"; readonly page: number } | undefined
  /** What the acquirer's query of a Pix finds, by end-to-end id; it knows no other. */
  readonly pix: Map<string, ReceivedPix>
  /** Waits before each page. */
  delayMillis: number
  /** The windows of each list of received Pix that was begun. */
  readonly windows: Array<BooksWindow>
  /** The same of Pix of which something went back. */
  readonly returnedWindows: Array<BooksWindow>
  /** `received 0`, `sent 1`, …, in order. */
  readonly pages: Array<string>
}

/** An item that cannot be read, by the letter of which its digest is made. */
export const unreadableItem = (letter: string, position = 0): UnreadableItem => ({
  ...{ position, digest: letter.repeat(64).slice(0, 64), problem: "valor: Expected string" },
  ...{ endToEndId: `E${letter}`, payoutId: undefined, txid: undefined },
})

/** Books without items. */
export const emptyScript = (): BooksScript => ({
  ...{ received: [[]], sent: [[]], unreadable: new Map(), failsAt: undefined, delayMillis: 0 },
  ...{ windows: [], returnedWindows: [], pages: [], pix: new Map() },
})

/** An acquirer with those books. */
export const acquirerWith = (script: BooksScript): Acquirer & { readonly books: AcquirerBooks } => {
  const list =
    <A>(name: "received" | "returned" | "sent", pagesOf: () => ReadonlyArray<ReadonlyArray<A>>) =>
    (window: BooksWindow, page: string | undefined): Effect.Effect<BooksPage<A>, AcquirerUnavailable> =>
      Effect.gen(function* () {
        const asked = Number(page ?? 0)
        if (asked === 0 && name === "received") script.windows.push(window)
        if (asked === 0 && name === "returned") script.returnedWindows.push(window)
        script.pages.push(`${name} ${asked}`)
        yield* Effect.sleep(script.delayMillis)
        const { failsAt } = script
        const unreadable = script.unreadable.get(`${name} ${asked}`)
        if (failsAt?.list === name && failsAt.page === asked) {
          return yield* new AcquirerUnavailable({ operation: name, reason: "answered 500" })
        }
        const pages = pagesOf()
        return {
          items: pages[asked] ?? [],
          ...(unreadable === undefined ? {} : { unreadableCount: unreadable.length, unreadable }),
          next: asked + 1 < pages.length ? String(asked + 1) : undefined,
        }
      })
  return {
    ...silentAcquirer,
    queryPix: (endToEndId) => Effect.sync(() => script.pix.get(endToEndId)),
    books: {
      listReceived: list("received", () => script.received),
      listSent: list("sent", () => script.sent),
      listReturned:
        script.returned === undefined ? undefined : list("returned", () => script.returned ?? [[]]),
    },
  }
}

/** What the sellers' actors were asked, and what they answer, by id; by default that all is settled. */
export interface Door {
  readonly asked: Array<string>
  readonly answers: Map<string, ReconcileAnswer>
  /** The most that were under way at once. */
  most: number
}

/** Stands in for the sellers' actors: each answer takes a millisecond. */
const actorsOf = (door: Door) => {
  let underWay = 0
  const ask = (
    _: unknown,
    request: { transactionId?: string; withdrawalId?: string; noticed?: NoticedTransfer },
  ) =>
    Effect.gen(function* () {
      const id = request.transactionId ?? request.withdrawalId ?? ""
      const { noticed } = request
      door.asked.push(noticed === undefined ? id : `${id} ${noticed.endToEndId} ${noticed.refundId ?? "-"}`)
      underWay += 1
      door.most = Math.max(door.most, underWay)
      yield* Effect.sleep(1)
      underWay -= 1
      return door.answers.get(id) ?? ({ kind: "settled", note: undefined } as const)
    })
  return Layer.succeed(SellerActors, { ask: ask as SellerActors["Service"]["ask"], size: () => 0 })
}

/** The store in memory, fake actors, and requests that wait as the test says. */
export const sweepWorld = (requestMillis = { now: 0 }) => {
  const door: Door = { asked: [], answers: new Map(), most: 0 }
  const requests = { currentMillis: () => requestMillis.now, inProgress: () => 0, started: () => 0 }
  const layer = Layer.mergeAll(
    MemoryStoreLive({ partitions }),
    // Only accounts are compared with it.
    Layer.succeed(Acquirers, { live: silentAcquirer, test: silentAcquirer }),
    actorsOf(door),
    Layer.succeed(PartitionCount, { partitions }),
    Layer.succeed(Identifiers, identifiers),
    Layer.succeed(RequestDelay, requests),
  )
  return { door, layer }
}
