import { randomUUID } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import { type Principal, sessionKeyHash } from "../../actors/values/principal.ts"
import { type Actor, asAct, type SellerAct } from "../../actors/values/sellerAct.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { SellerAction } from "../../schema/sellerActions.ts"
import { makeSellerAuditStore } from "../store/sellerAudit.ts"
import { askAgain } from "./askAgain.ts"
import { CurrentRequest } from "./currentRequest.ts"
import { Users } from "./users/users.ts"

/** The user of a session, or a seller's credential. Users without a seller have no audit log. */
export type Doer = { readonly userId: string; readonly sellerId?: string | undefined } | Principal

/** What is done. */
export interface Deed {
  readonly action: SellerAction
  readonly resourceType: string
  /** Left out: the id that the store gives what it creates. */
  readonly resourceId?: string
  /** Without secrets. Default: none. */
  readonly details?: SellerAct["details"]
}

/** What a user does to itself. */
export const ofUser = (action: SellerAction, userId: string, details: SellerAct["details"] = {}): Deed => ({
  action,
  resourceType: "user",
  resourceId: userId,
  details,
})

const make = Effect.gen(function* () {
  const store = yield* makeSellerAuditStore
  const users = yield* Users
  const apiKeys = yield* ApiKeyStore

  const actorOf = Effect.fnUntraced(function* (doer: Doer): Effect.fn.Return<Actor, StoreUnavailable> {
    if ("keyHash" in doer && doer.keyHash !== sessionKeyHash) {
      const keys = yield* apiKeys.list(doer.sellerId, doer.mode)
      const name = keys.find(({ id }) => id === doer.keyId)?.name ?? null
      return { type: "api_key", id: doer.keyId, name }
    }
    const id = "keyHash" in doer ? doer.keyId : doer.userId
    return { type: "user", id, name: (yield* users.find(id))?.name ?? null }
  })

  const actOf = (
    sellerId: string,
    actor: Actor,
    ipAddress: string | undefined,
    { action, resourceType, resourceId, details = {} }: Deed,
  ): SellerAct => ({
    sellerId,
    operation: randomUUID(),
    action,
    actor,
    ipAddress: ipAddress || undefined,
    resourceType,
    resourceId,
    details,
    keptMillis: store.keptMillis,
  })

  /** The act of a user or a key; undefined for a user without a seller. */
  const act = Effect.fnUntraced(function* (doer: Doer, deed: Deed) {
    const { sellerId } = doer
    if (sellerId === undefined) return undefined
    const request = yield* CurrentRequest
    return actOf(sellerId, yield* actorOf(doer), request?.clientAddress, deed)
  })

  return {
    act,
    /** Does something to a seller's account; its act is appended in the same commit, if it is done. */
    does: <A, E, R>(doer: Doer, deed: Deed, program: Effect.Effect<A, E, R>) =>
      Effect.flatMap(act(doer, deed), (made) => asAct(made, program)),
    /** The same by a link in a mail of the seller's, whose recipient needs no account. */
    doesByMail: <A, E, R>(sellerId: string, deed: Deed, program: Effect.Effect<A, E, R>) =>
      asAct(actOf(sellerId, { type: "recipient", id: null, name: null }, undefined, deed), program),
    /** Appends what was done to a user, whose records lie elsewhere than the log. */
    did: Effect.fnUntraced(function* (doer: Doer, deed: Deed) {
      const made = yield* act(doer, deed)
      if (made !== undefined) yield* askAgain(store.append(made))
    }),
    list: store.list,
    span: store.span,
  }
})

/** Sellers' audit logs: what was done to their accounts, and by whom (docs/contract/audit-log.md). */
export class SellerAudit extends Context.Service<SellerAudit, Effect.Success<typeof make>>()(
  "corrente/accounts/SellerAudit",
) {}

export const SellerAuditLive = Layer.effect(SellerAudit, make)
