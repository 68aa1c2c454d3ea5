import { Clock, Context, Effect, Layer } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import {
  type DecideSeller,
  type Identification,
  patchProfile,
  submitKyc,
} from "../../../actors/seller/decisions/sellerDecisions.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { documentTerm } from "./documentTerm.ts"
import { sellerProfile } from "./sellerProfiles.ts"

/** What has to be done, or agreed to, before a seller is changed. `attempt` counts from 0. */
export type BeforeWrite<E> = (change: {
  readonly before: StoredSeller
  readonly after: StoredSeller
  readonly nowMillis: number
  readonly attempt: number
}) => Effect.Effect<void, E | StoreUnavailable>

/** How a change may be refused besides by its decision: 404 without a seller, and 503 where others keep changing it. */
export type SellerChangeCode = "resource_not_found" | "service_unavailable"

/** Changes sellers, each change with its event in the feeds of both modes (docs/contract/sellers.md#events). */
export class SellerChanges extends Context.Service<
  SellerChanges,
  {
    /** The seller as shown; 404 if there is none. */
    readonly profile: (sellerId: string) => Outcome<SellerProfile, "resource_not_found">
    readonly render: (seller: StoredSeller) => Effect.Effect<SellerProfile>
    /**
     * Decides a change on the current seller, writes it, and returns the result. A change without effect writes
     * nothing. `beforeWrite` runs before something is written, again where another write came first, and may refuse it. 404 if there
     * is no seller.
     */
    readonly change: <E = never, Refusal extends ApiError = never>(
      sellerId: string,
      decide: DecideSeller<Refusal>,
      beforeWrite?: BeforeWrite<E>,
    ) => Effect.Effect<SellerProfile, Refusal | ApiError<SellerChangeCode> | StoreUnavailable | E>
    /**
     * Changes the name, and sets a document if there is none: 400 at `document`, 409 `invalid_state` at `document` if
     * there is one.
     */
    readonly patchProfile: (
      sellerId: string,
      patch: { readonly name?: string; readonly document?: string },
    ) => Outcome<SellerProfile, SellerChangeCode | "invalid_state" | "validation_failed">
    /** Submits the identification of the seller: 400 at `document`, 409 `invalid_state` once it is approved. */
    readonly submitKyc: (
      sellerId: string,
      input: Identification,
    ) => Outcome<SellerProfile, SellerChangeCode | "invalid_state" | "validation_failed">
  }
>()("corrente/accounts/SellerChanges") {}

/** For the seller of the session that asks: that it is not there is damage, and no answer. */
export const ofOwnSeller = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, ApiError<"resource_not_found">> | StoreUnavailable, R> =>
  Effect.mapError(asked, (error) =>
    error instanceof ApiError && error.code === "resource_not_found"
      ? new StoreUnavailable({ operation: "own seller", reason: error.message })
      : (error as Exclude<E, ApiError<"resource_not_found">>),
  )

/** Text that is not an id is not repeated: it may be a misplaced secret. */
const noSuchSeller = (sellerId: string): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    message: `No such seller${isId("sel_", sellerId) ? `: '${sellerId}'` : ""}. Use an id of GET /v1/admin/sellers.`,
  })

export const SellerChangesLive = Layer.effect(
  SellerChanges,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const opener = yield* SecretOpener
    const secrets = yield* AccountSecrets

    const known = Effect.fnUntraced(function* (sellerId: string) {
      const seller = isId("sel_", sellerId) ? yield* sellers.get(sellerId) : undefined
      return seller ?? (yield* noSuchSeller(sellerId))
    })

    const render = (seller: StoredSeller) =>
      Effect.map(Clock.currentTimeMillis, (nowMillis) => sellerProfile(seller, opener, nowMillis))

    const termOf = ({ id, document }: StoredSeller) =>
      document === undefined ? undefined : documentTerm({ open: opener.open, ...secrets })(document, id)

    const change = <E = never, Refusal extends ApiError = never>(
      sellerId: string,
      decide: DecideSeller<Refusal>,
      beforeWrite: BeforeWrite<E> = () => Effect.void,
    ) =>
      decideAndCommit({
        read: known(sellerId),
        attempt: Effect.fnUntraced(function* (before: StoredSeller, attempt: number) {
          const nowMillis = yield* Clock.currentTimeMillis
          const decision = decide(before, nowMillis)
          if (decision === undefined) return yield* render(before)
          if (decision instanceof ApiError) return yield* Effect.fail(decision)
          yield* beforeWrite({ before, after: decision.seller, nowMillis, attempt })

          const profile = yield* render(decision.seller)
          const event = { type: decision.eventType, data: JSON.stringify(profile) }
          const { kind } = yield* askAgain(
            sellers.update({
              seller: decision.seller,
              event,
              documentTerm: termOf(decision.seller),
            }),
          )
          if (kind === "noSeller") return yield* noSuchSeller(sellerId)
          return kind === "updated" ? profile : stale
        }),
        giveUp: () => changedByOthers("seller"),
        attemptsMax: 5,
      })

    const cipher = { seal: secrets.seal, open: opener.open }
    return SellerChanges.of({
      profile: (sellerId) => Effect.flatMap(known(sellerId), render),
      render,
      change,
      patchProfile: (sellerId, patch) => change(sellerId, patchProfile(patch, cipher)),
      submitKyc: (sellerId, input) => change(sellerId, submitKyc(input, cipher)),
    })
  }),
)
