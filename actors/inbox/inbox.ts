import { Context, Effect, Layer } from "effect"
import type { DueTimer } from "../ports/timerQueue.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import { makeProcessNotice } from "./processNotice.ts"
import { type InboundCall, makeReceiveNotices, type Receipt } from "./receiveNotices.ts"

/** Acquirers' notices: recorded first, then confirmed with the acquirer (docs/contract/notices.md#recording). */
export class Inbox extends Context.Service<
  Inbox,
  {
    readonly receive: (call: InboundCall) => Effect.Effect<Receipt, StoreUnavailable>
    /** Processes the notice of a timer. */
    readonly process: (timer: DueTimer) => Effect.Effect<void, StoreUnavailable>
  }
>()("corrente/actors/Inbox") {}

/** The inbox over the store's. */
export const InboxLive = Layer.effect(
  Inbox,
  Effect.gen(function* () {
    return { receive: yield* makeReceiveNotices, process: yield* makeProcessNotice }
  }),
)
