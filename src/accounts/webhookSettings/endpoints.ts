import { Clock, Context, Effect, Layer, Schema } from "effect"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { type NewEndpoint, SellerStore } from "../../../actors/ports/sellerStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { checkSubscription } from "../../../schema/eventChecks.ts"
import { isId, type Mode, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import {
  disabledReasons,
  type Endpoint,
  type NewEndpoint as EndpointWithSecret,
  type Ordering,
  orderings,
} from "../../../schema/resources/endpoint.ts"
import { lineOf } from "../../../schema/text.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import { checkField } from "../checkField.ts"

/** A webhook endpoint to create (docs/contract/endpoints.md#fields). */
export interface EndpointInput {
  readonly sellerId: string
  readonly mode: Mode
  readonly url: string
  /** Event types of the catalog, or `*` for all; at least one. */
  readonly events: ReadonlyArray<string>
  readonly description: string | undefined
  /** Absent: none. */
  readonly ordering?: Ordering
}

/** Creates webhook endpoints. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    /**
     * The endpoint with its secret, which is shown once. Fails with 400 `validation_failed`, `invalid_event_type` or
     * `invalid_url` at the field, 404 if the seller is unknown, 409 `invalid_state` at the sixth of a mode
     * (docs/contract/endpoints.md#limits).
     */
    readonly create: (
      input: EndpointInput,
    ) => Effect.Effect<
      EndpointWithSecret,
      | ApiError<
          "invalid_event_type" | "invalid_state" | "invalid_url" | "resource_not_found" | "validation_failed"
        >
      | StoreUnavailable
    >
  }
>()("corrente/accounts/Endpoints") {}

/** Length of the visible prefix of a secret (docs/contract/endpoints.md#secret). */
export const secretPrefixLength = 6

const check = Effect.fnUntraced(function* ({ url, events, description }: EndpointInput) {
  yield* checkField("url", Schema.NonEmptyString, url, "an https or rediss URL")
  const { endpointDescriptionLengthMax: lengthMax, endpointEventsMax } = limits
  if (events.length < 1 || events.length > endpointEventsMax) {
    const message = `events must hold 1 to ${endpointEventsMax} event types, or "*" for all.`
    return yield* new ApiError({ code: "validation_failed", param: "events", message })
  }
  const mustBe = `at most ${lengthMax} characters long`
  yield* checkField("description", lineOf(0, lengthMax), description ?? "", mustBe)
  const refused = checkSubscription(events)
  if (refused !== undefined) return yield* refused
})

/** 404: no such seller. */
export const unknownSeller = (sellerId: string): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    param: "seller",
    message: `No such seller${isId("sel_", sellerId) ? `: '${sellerId}'` : ""}. Use the seller_id that \`seller create\` gave.`,
  })

const tooMany = (mode: Mode): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message:
      `This seller has ${limits.endpointsPerModeMax} ${mode} webhook endpoints, the most a mode can have ` +
      "(disabled ones count). Delete one first.",
    details: { limit: limits.endpointsPerModeMax },
  })

/** An endpoint as its owner sees it, from its stored fields. */
export const endpointResource = (stored: Readonly<Record<string, string>>): Endpoint => ({
  id: stored.id ?? "",
  url: stored.url ?? "",
  events: (stored.events ?? "").split(","),
  enabled: stored.enabled === "1",
  secret_prefix: stored.secret_prefix ?? "",
  description: stored.description || null,
  ordering: orderings.find((ordering) => ordering === stored.ordering) ?? "none",
  created_at: stored.created_at ?? "",
  disabled_reason: disabledReasons.find((reason) => reason === stored.disabled_reason) ?? null,
  auto_disabled_at: stored.auto_disabled_at || null,
})

const resourceOf = (endpoint: NewEndpoint, secret: string): EndpointWithSecret => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  enabled: true,
  secret_prefix: endpoint.secretPrefix,
  description: endpoint.description ?? null,
  ordering: endpoint.ordering ?? "none",
  created_at: endpoint.createdAt,
  disabled_reason: null,
  auto_disabled_at: null,
  secret,
})

export const EndpointsLive = Layer.effect(
  Endpoints,
  Effect.gen(function* () {
    const store = yield* SellerStore
    const destinations = yield* DestinationCheck
    const identifiers = yield* Identifiers
    const secrets = yield* AccountSecrets

    const create = Effect.fnUntraced(function* (input: EndpointInput) {
      yield* check(input)
      const { sellerId, mode, url } = input
      const partition = isId("sel_", sellerId) ? partitionOfId(sellerId) : undefined
      if (partition === undefined || (yield* store.get(sellerId)) === undefined) {
        return yield* unknownSeller(sellerId)
      }
      const stored = yield* destinations.checkEndpoint(url)

      const nowMillis = yield* Clock.currentTimeMillis
      const secret = secrets.signingSecret()
      const id = identifiers.id("we_", partition, nowMillis)
      const endpoint: NewEndpoint = {
        id,
        sellerId,
        mode,
        url: stored.url,
        ...(stored.password === undefined
          ? {}
          : { urlPassword: secrets.seal(stored.password, sealedPlaces.endpointPassword(id, stored.url)) }),
        events: [...new Set(input.events)],
        description: input.description || undefined,
        ordering: input.ordering ?? "none",
        secret: secrets.seal(secret, sealedPlaces.endpointSecret(id)),
        secretPrefix: secret.slice(0, secretPrefixLength),
        createdAt: new Date(nowMillis).toISOString(),
      }
      const { kind } = yield* askAgain(store.createEndpoint(endpoint))
      if (kind === "noSeller") return yield* unknownSeller(sellerId)
      if (kind === "limit") return yield* tooMany(mode)
      return resourceOf(endpoint, secret)
    })
    return Endpoints.of({ create })
  }),
)
