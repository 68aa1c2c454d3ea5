import { Clock, Context, Effect, Layer } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { PixKeyStore, type PixKeyTransition, type StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import { decidePixKey, decideRegistration } from "../../../actors/seller/decisions/pixKeyDecisions.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, resourceNotFound, serviceUnavailable } from "../../../schema/errors.ts"
import { isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { CreatePixKey, PixKeyStatus } from "../../../schema/resources/pixKey.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"

/** Pix keys of sellers: registered by sellers, decided by operators in live mode (docs/contract/pix-keys.md#states). */
export class PixKeys extends Context.Service<
  PixKeys,
  {
    /**
     * 400 at `value`, 403 `kyc_required` in live mode, 409 `invalid_state` if the seller has it or too many already.
     */
    readonly register: (
      principal: Principal,
      input: CreatePixKey,
    ) => Outcome<
      StoredPixKey,
      "invalid_state" | "kyc_required" | "seller_not_allowed" | "service_unavailable" | "validation_failed"
    >
    /** 404 if the seller has no such key, or has removed it. */
    readonly remove: (
      principal: Principal,
      id: string,
    ) => Outcome<void, "resource_not_found" | "service_unavailable">
    /**
     * An operator's decision on a waiting key: 404, or 409 `invalid_state`. `beforeWrite` runs once, before something
     * is written, and may refuse it.
     */
    readonly decide: <E = never>(
      id: string,
      to: Extract<PixKeyStatus, "verified" | "refused">,
      beforeWrite: (pixKey: StoredPixKey) => Effect.Effect<void, E | StoreUnavailable>,
    ) => Effect.Effect<
      StoredPixKey,
      ApiError<"invalid_state" | "resource_not_found" | "service_unavailable"> | StoreUnavailable | E
    >
  }
>()("corrente/accounts/PixKeys") {}

const refusedState = (message: string): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message })

const readable = (id: string, store: PixKeyStore["Service"]) =>
  isId("pk_", id) ? store.load(id) : Effect.succeed(undefined)

/**
 * Applies a transition; whether it was ours. A retry after a lost reply finds our own write and calls it stale: the
 * write was ours if the key is now as we made it.
 */
const makeWrite = (store: PixKeyStore["Service"]) =>
  Effect.fnUntraced(function* (change: PixKeyTransition) {
    let isUnknown = false
    const transition = Effect.tapError(store.transition(change), () =>
      Effect.sync(() => {
        isUnknown = true
      }),
    )
    const { kind } = yield* askAgain(transition)
    if (kind === "applied" || !isUnknown) return kind === "applied"
    const now = yield* store.load(change.pixKey.id)
    const isAsMade = now?.status === change.to && now.version === change.pixKey.version + 1
    return isAsMade && (change.verifiedAt === undefined || now.verifiedAt === change.verifiedAt)
  })

/** Applies a decision on a key; if another write came first, decides again on the key as it is now. */
const makeApply = (store: PixKeyStore["Service"]) => {
  const write = makeWrite(store)
  return <E = never>(
    known: StoredPixKey,
    to: PixKeyStatus,
    beforeWrite: (pixKey: StoredPixKey) => Effect.Effect<void, E | StoreUnavailable>,
  ) =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (pixKey: StoredPixKey | undefined, attempt: number) {
        if (pixKey === undefined) return yield* resourceNotFound("Pix key", known.id)
        const decision = decidePixKey(pixKey, to, yield* Clock.currentTimeMillis)
        if (decision instanceof ApiError) return yield* decision
        if (attempt === 0) yield* beforeWrite(pixKey)
        if (!(yield* write(decision))) return stale
        const verifiedAt = decision.verifiedAt ?? pixKey.verifiedAt
        return { ...pixKey, status: to, version: pixKey.version + 1, verifiedAt }
      }),
      giveUp: () => changedByOthers("Pix key"),
    })
}

export const PixKeysLive = Layer.effect(
  PixKeys,
  Effect.gen(function* () {
    const store = yield* PixKeyStore
    const sellers = yield* SellerStore
    const identifiers = yield* Identifiers
    const secrets = yield* AccountSecrets
    const opener = yield* SecretOpener
    const apply = makeApply(store)

    const register = Effect.fnUntraced(function* ({ sellerId, mode }: Principal, input: CreatePixKey) {
      const seller = yield* sellers.get(sellerId)
      if (seller === undefined) {
        return yield* new StoreUnavailable({ operation: "register Pix key", reason: `no seller ${sellerId}` })
      }
      const decision = decideRegistration(input, mode, seller, opener.open)
      if (decision instanceof ApiError) return yield* decision
      const nowMillis = yield* Clock.currentTimeMillis
      const nowText = new Date(nowMillis).toISOString()
      const id = identifiers.id("pk_", partitionOfId(sellerId) ?? 0, nowMillis)
      // The same value of the same type twice is one key.
      const [valueHash, ...olderHashes] = secrets.fingerprints(`${decision.type}:${decision.plainValue}`)
      const pixKey: StoredPixKey = {
        id,
        sellerId,
        mode,
        type: decision.type,
        status: decision.status,
        version: 1,
        value: secrets.seal(decision.plainValue, sealedPlaces.pixKeyValue(id)),
        valueHash,
        maskedValue: decision.maskedValue,
        createdAt: nowText,
        verifiedAt: decision.status === "verified" ? nowText : undefined,
      }
      const { kind } = yield* askAgain(store.create(pixKey, olderHashes))
      switch (kind) {
        case "created":
          return pixKey
        case "exists":
          return yield* refusedState("This Pix key is registered already. See GET /v1/me/pix-keys.")
        case "limit":
          return yield* refusedState(
            `A mode has at most ${limits.pixKeysPerModeMax} Pix keys. Remove one that is no longer used.`,
          )
        case "noSeller":
          return yield* serviceUnavailable("The account is being made. Try again.", 1)
      }
    })

    const remove = Effect.fnUntraced(function* (principal: Principal, id: string) {
      const pixKey = yield* readable(id, store)
      const isOwn = pixKey?.sellerId === principal.sellerId && pixKey.mode === principal.mode
      if (pixKey === undefined || !isOwn || pixKey.status === "removed") {
        return yield* resourceNotFound("Pix key", id)
      }
      yield* apply(pixKey, "removed", () => Effect.void).pipe(
        // Removed by another meanwhile.
        Effect.catchIf(
          (error) => error._tag === "ApiError" && error.code === "invalid_state",
          () => Effect.fail(resourceNotFound("Pix key", id)),
        ),
      )
    })

    return PixKeys.of({
      register,
      remove,
      decide: Effect.fnUntraced(function* (id, to, beforeWrite) {
        const pixKey = yield* readable(id, store)
        if (pixKey === undefined) return yield* resourceNotFound("Pix key", id)
        return yield* apply(pixKey, to, beforeWrite)
      }),
    })
  }),
)
