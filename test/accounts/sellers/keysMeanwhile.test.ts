import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import { AccountSecrets } from "../../../src/accounts/accountSecrets.ts"
import { termOfDocument } from "../../../src/accounts/sellers/documentTerm.ts"
import { PixKeys, PixKeysLive } from "../../../src/accounts/sellers/pixKeys.ts"
import { SellerSearches, SellerSearchesLive } from "../../../src/accounts/sellers/sellerSearch.ts"
import { Users } from "../../../src/accounts/users/users.ts"
import { CipherLive, makeCipher, makeFingerprints } from "../../../src/crypto/cipher.ts"
import type { EncryptionKeys } from "../../../src/crypto/encryptionKeys.ts"
import { IdentifiersLive } from "../../../src/crypto/identifiers.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { openSeller, sellerWith } from "./sellerFixture.ts"

const older = { id: "older", bytes: new Uint8Array(32).fill(1) }
const newer = { id: "newer", bytes: new Uint8Array(32).fill(2) }

const Store = MemoryStoreLive()
const secretsUnder = (keys: EncryptionKeys) =>
  Layer.merge(
    Layer.fresh(CipherLive(keys)),
    Layer.succeed(AccountSecrets, {
      signingSecret: () => "",
      seal: makeCipher(keys).seal,
      fingerprints: makeFingerprints(keys),
    }),
  )
/** Runs a program with services under some keys, on the store of all. */
const under = (keys: EncryptionKeys) => {
  const services = Layer.merge(PixKeysLive, SellerSearchesLive).pipe(
    Layer.provide(Layer.mergeAll(secretsUnder(keys), IdentifiersLive, Layer.mock(Users, {}))),
  )
  return <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.provide(program, Layer.fresh(services))
}

const query = { status: undefined, kycStatus: undefined, after: undefined, limit: 20 }
const cpf = "52998224725"

describe("two keys meanwhile", () => {
  it.effect("a PIX key that was registered under one key is known under both, whichever is the newest", () =>
    Effect.gen(function* () {
      const { id } = yield* openSeller()
      const owner = sessionPrincipal(id, "test", "a-user")
      const register = (value: string) =>
        Effect.flatMap(PixKeys, (pixKeys) => pixKeys.register(owner, { type: "email", value }))
      yield* under([older])(register("ana@example.com"))
      yield* under([newer, older])(register("bia@example.com"))
      for (const keys of [
        [newer, older],
        [older, newer],
      ] as const) {
        for (const value of ["ana@example.com", "bia@example.com"]) {
          expect(yield* Effect.flip(under(keys)(register(value)))).toMatchObject({ code: "invalid_state" })
        }
      }
    }).pipe(Effect.provide(Store)),
  )

  it.effect("sellers with one document are found under both keys, each once, on pages of every size", () =>
    Effect.gen(function* () {
      const store = yield* SellerStore
      const ids: Array<string> = []
      for (const key of [older, newer, older, newer, older]) {
        const seller = sellerWith()
        const term = termOfDocument({ fingerprints: makeFingerprints([key]) }, cpf)
        yield* store.create(seller, [], undefined, term)
        ids.push(seller.id)
      }
      for (const keys of [
        [newer, older],
        [older, newer],
      ] as const) {
        for (const limit of [1, 2, 3, 4, 5, 6]) {
          const found: Array<string> = []
          let after: string | undefined
          do {
            const page = yield* under(keys)(
              Effect.flatMap(SellerSearches, ({ find }) => find({ ...query, q: cpf, after, limit })),
            )
            expect(page.sellers.length).toBeLessThanOrEqual(limit)
            found.push(...page.sellers.map(({ id }) => id))
            after = page.nextBeforeId
          } while (after !== undefined)
          expect(found.toSorted()).toEqual(ids.toSorted())
        }
      }
    }).pipe(Effect.provide(Store)),
  )
})
