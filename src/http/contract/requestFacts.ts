import { Effect } from "effect"
import type { KeyPrincipal } from "../../../actors/values/principal.ts"
import { CurrentRequest } from "../../accounts/currentRequest.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import type { Incoming } from "../server/route.ts"
import type { BrowserRequest } from "./browserRequest.ts"

type Program = Effect.Effect<Reply, RequestFailure>

/** Lets what answers a browser name its request in lines of the log and entries of audit logs. */
export const ofBrowser = (program: Program, incoming: Incoming, browser: BrowserRequest): Program =>
  Effect.provideService(program, CurrentRequest, {
    requestId: incoming.requestId,
    clientAddress: browser.ipAddress,
    userId: incoming.askedBy?.userId,
    sellerId: incoming.askedBy?.sellerId,
  })

/** The same for an API key. */
export const ofKey =
  (
    addressOf: (incoming: Incoming) => string,
    answer: (incoming: Incoming, principal: KeyPrincipal) => Program,
  ) =>
  (incoming: Incoming, principal: KeyPrincipal): Program =>
    Effect.provideService(
      Effect.suspend(() => answer(incoming, principal)),
      CurrentRequest,
      {
        requestId: incoming.requestId,
        clientAddress: addressOf(incoming),
        sellerId: principal.sellerId,
        apiKeyId: principal.keyId,
      },
    )
