import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"

/** Makes the reader of sellers' names, for lists of operators: name by id, each read once; one that does not exist is absent. */
export const makeSellerNames = Effect.map(
  SellerStore,
  (sellers) => (items: ReadonlyArray<{ readonly sellerId: string }>) =>
    Effect.map(
      Effect.forEach([...new Set(items.map(({ sellerId }) => sellerId))], sellers.get, {
        concurrency: "unbounded",
      }),
      (found) =>
        new Map(found.flatMap((seller) => (seller === undefined ? [] : [[seller.id, seller.name] as const]))),
    ),
)
