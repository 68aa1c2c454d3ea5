import { SellerHints } from "../../actors/ports/sellerHints.ts"
import { listenUntilClosed, type MemoryState } from "./state.ts"

/** SellerHints over the memory state. No connection can break, so `dropped` and `restored` never come. */
export const makeSellerHints = (state: MemoryState): SellerHints["Service"] =>
  SellerHints.of({ listen: (listener) => listenUntilClosed(state.sellerListeners, listener) })
