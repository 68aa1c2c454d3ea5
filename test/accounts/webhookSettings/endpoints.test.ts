import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { ApiError } from "../../../schema/errors.ts"
import { makeId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Endpoint } from "../../../schema/resources/endpoint.ts"
import {
  type EndpointInput,
  Endpoints,
  EndpointsLive,
  endpointResource,
} from "../../../src/accounts/webhookSettings/endpoints.ts"
import { Settings } from "../../../src/config/settings.ts"
import { makeCipher } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { AccountSecretsLive, OpsDestinationCheckLive } from "../../../src/ops/services.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { MemoryStore } from "../../model/state.ts"

const origin = "https://localhost:8443"
const key = new Uint8Array(32).fill(9)
const environment = {
  ENCRYPTION_KEY: Buffer.from(key).toString("base64"),
  WEBHOOK_ALLOW_DESTINATIONS: origin,
}
const sellerId = makeId("sel_", 1_700_000_000_000, 11, new Uint8Array(14).fill(3))
const absentSellerId = makeId("sel_", 1_700_000_000_000, 11, new Uint8Array(14).fill(4))

const Seller = Layer.effectDiscard(
  Effect.flatMap(SellerStore, (store) =>
    store.create(
      newStoredSeller({
        id: sellerId,
        name: "Loja",
        userId: "u",
        kycStatus: "none",
        createdAt: "2026-11-21T00:07:35.123Z",
      }),
      [],
      undefined,
    ),
  ),
)

const TestLayer = EndpointsLive.pipe(
  Layer.provide(Layer.mergeAll(AccountSecretsLive, OpsDestinationCheckLive, IdentifiersLive)),
  Layer.provide(Settings.layer(environment)),
  Layer.provideMerge(Seller),
  Layer.provideMerge(MemoryStoreLive()),
)

const create = (input: Partial<EndpointInput> = {}) =>
  Effect.flatMap(Endpoints, (endpoints) =>
    endpoints.create({
      sellerId,
      mode: "test",
      url: `${origin}/hooks`,
      events: ["transaction.paid"],
      description: undefined,
      ...input,
    }),
  )

const refusalOf = (input: Partial<EndpointInput>) =>
  Effect.map(Effect.flip(create(input)), (error) => {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, code: error.code, param: error.param }
  })

const listOf = (mode: "live" | "test") =>
  Effect.flatMap(SellerStore, (store) => store.listEndpoints(sellerId, mode))

describe("endpoints", () => {
  it.effect("a new endpoint is answered as in the contract, with a secret that is shown only once", () =>
    Effect.gen(function* () {
      const made = yield* create({ description: "Loja 1", events: ["transaction.paid", "withdrawal.failed"] })
      expect(Schema.is(Endpoint)(made)).toBe(true)
      expect(partitionOfId(made.id)).toBe(11)
      const { id, secret, created_at, ...rest } = made
      expect(secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
      expect(rest).toEqual({
        url: `${origin}/hooks`,
        events: ["transaction.paid", "withdrawal.failed"],
        enabled: true,
        secret_prefix: "whsec_",
        description: "Loja 1",
        ordering: "none",
        disabled_reason: null,
        auto_disabled_at: null,
      })
      expect((yield* listOf("test")).map(endpointResource)).toEqual([{ id, created_at, ...rest }])
      expect(yield* listOf("live")).toEqual([])
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint's secret is stored as ciphertext", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* create()
      const { endpoints } = yield* MemoryStore
      const stored = endpoints.get(id)?.endpoint.secret ?? ""
      expect(stored).not.toContain(secret)
      expect(makeCipher(plainKey(key)).open(stored, sealedPlaces.endpointSecret(id))).toBe(secret)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint names each of its event types once, in the order given", () =>
    Effect.gen(function* () {
      const events = ["transaction.refunded", "transaction.paid", "transaction.refunded", "transaction.paid"]
      expect((yield* create({ events })).events).toEqual(["transaction.refunded", "transaction.paid"])
      expect((yield* create({ events: ["*"] })).events).toEqual(["*"])
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a seller has at most five endpoints a mode", () =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: limits.endpointsPerModeMax }), () => create(), {
        concurrency: "unbounded",
      })
      expect(new Set(made.map(({ secret }) => secret)).size).toBe(5)
      const sixth = yield* Effect.flip(create())
      expect(sixth).toMatchObject({ code: "invalid_state", details: { limit: 5 } })
      expect(yield* listOf("test")).toHaveLength(5)
      yield* create({ mode: "live" })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint of an unknown seller is refused with 404", () =>
    Effect.gen(function* () {
      for (const absent of [absentSellerId, "sel_1", "", sellerId.replace("sel_", "txn_")]) {
        expect(yield* refusalOf({ sellerId: absent })).toEqual({
          status: 404,
          code: "resource_not_found",
          param: "seller",
        })
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint subscribes to event types of the catalog only", () =>
    Effect.gen(function* () {
      for (const type of ["transaction.created", "ping", "transaction.*", "transaction.gone", ""]) {
        expect(yield* refusalOf({ events: ["transaction.paid", type] })).toEqual({
          status: 400,
          code: "invalid_event_type",
          param: "events.1",
        })
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint is refused at the field that is out of its bounds", () =>
    Effect.gen(function* () {
      const failed = (param: string) => ({ status: 400, code: "validation_failed", param })
      const types = (count: number) => Array.from({ length: count }, () => "transaction.paid")
      expect(yield* refusalOf({ events: [] })).toEqual(failed("events"))
      expect(yield* refusalOf({ events: types(limits.endpointEventsMax + 1) })).toEqual(failed("events"))
      yield* create({ events: types(limits.endpointEventsMax) })
      expect(yield* refusalOf({ description: "é".repeat(201) })).toEqual(failed("description"))
      expect((yield* create({ description: "😀".repeat(200) })).description).toHaveLength(400)
      expect((yield* create({ description: "" })).description).toBeNull()
      expect(yield* refusalOf({ url: "" })).toEqual(failed("url"))
      expect(yield* listOf("test")).toHaveLength(3)
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("an endpoint is refused where its URL breaks the rules for destinations", () =>
    Effect.gen(function* () {
      const bad = [
        "http://example.com/",
        "https://10.0.0.1/",
        "https://localhost/",
        "https://user:pass@example.com/",
        "https://example.com:8443/",
        "not a url",
        `${origin}/${"a".repeat(limits.destinationUrlLengthMax)}`,
      ]
      for (const url of bad) {
        expect(yield* refusalOf({ url })).toEqual({ status: 400, code: "invalid_url", param: "url" })
      }
      expect(yield* listOf("test")).toEqual([])
    }).pipe(Effect.provide(TestLayer)),
  )

  it("a disabled endpoint says why and since when", () => {
    const stored = { id: "we_1", url: `${origin}/`, events: "*", enabled: "0", secret_prefix: "whsec_" }
    const disabled = { ...stored, disabled_reason: "auto", auto_disabled_at: "2026-11-21T00:07:35.123Z" }
    expect(endpointResource(disabled)).toMatchObject({
      enabled: false,
      disabled_reason: "auto",
      auto_disabled_at: "2026-11-21T00:07:35.123Z",
      description: null,
    })
  })
})
