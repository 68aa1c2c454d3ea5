import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../ports/store.ts"
import type { DueTimer } from "../ports/timerQueue.ts"
import { makeProcessNotice } from "./processNotice.ts"
import { type InboundCall, makeReceiveNotices, type Receipt } from "./receiveNotices.ts"

/** Partners' webhooks: on record before anything is done about them, confirmed with the partner after (decisions 3). */
export class Inbox extends Context.Service<
  Inbox,
  {
    readonly receive: (call: InboundCall) => Effect.Effect<Receipt, StoreUnavailable>
    /** What the timer of a notice runs. */
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
