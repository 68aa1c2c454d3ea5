import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { DestinationCheck } from "../../actors/ports/destinationCheck.ts"
import { ApiError } from "../../schema/errors.ts"
import { AccountSecrets } from "../accounts/accountSecrets.ts"
import { EndpointsLive } from "../accounts/endpoints.ts"
import { PasswordsLive } from "../accounts/passwords.ts"
import { SellersLive } from "../accounts/sellers.ts"
import { UsersLive } from "../accounts/users.ts"
import type { Environment } from "../config/settingReader.ts"
import { Settings } from "../config/settings.ts"
import { makeCipher } from "../crypto/cipher.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import { checkDestination } from "../delivery/destination/checkDestination.ts"
import { DnsResolver, layerDnsResolver } from "../delivery/destination/dnsResolver.ts"
import { generateEndpointSecret } from "../delivery/signature.ts"
import { redisUrlFor } from "../redisServer/redisUrlFor.ts"
import { ensureLibrary } from "../store/functionLibrary.ts"
import { RedisClient, RedisClientLive, withoutPassword } from "../store/redisClient.ts"
import { SellerStoreLive } from "../store/sellerStore.ts"

/** Where the commands' Redis is, as it may be shown. */
export class RedisAddress extends Context.Service<RedisAddress, { readonly shownUrl: string }>()(
  "corrente/ops/RedisAddress",
) {}

/** The delivery side's rules of destinations, as accounts and the API ask them. */
export const DestinationCheckLive = Layer.effect(
  DestinationCheck,
  Effect.gen(function* () {
    const resolver = yield* DnsResolver
    const { webhookAllowDestinations } = yield* Settings
    const allowed = new Set(webhookAllowDestinations)
    return DestinationCheck.of({
      check: (url) =>
        checkDestination(url, allowed).pipe(
          Effect.provideService(DnsResolver, resolver),
          Effect.mapError(({ message }) => new ApiError({ code: "invalid_url", param: "url", message })),
          Effect.asVoid,
        ),
    })
  }),
).pipe(Layer.provide(layerDnsResolver()))

/** Secrets in the delivery side's format, under the settings' key. */
export const AccountSecretsLive = Layer.effect(
  AccountSecrets,
  Effect.map(Settings, ({ encryptionKey }) =>
    AccountSecrets.of({
      signingSecret: () => generateEndpointSecret(randomBytes),
      seal: makeCipher(Redacted.value(encryptionKey)).seal,
    }),
  ),
)

/** The Redis of the settings, with our functions loaded; nothing that only a server process needs. */
const StoreLive = Layer.unwrap(
  Effect.gen(function* () {
    const url = Redacted.value(yield* redisUrlFor(yield* Settings))
    const library = Layer.effectDiscard(Effect.flatMap(RedisClient, ensureLibrary))
    return SellerStoreLive.pipe(
      Layer.provideMerge(library),
      Layer.provideMerge(RedisClientLive(url)),
      Layer.merge(Layer.succeed(RedisAddress, { shownUrl: withoutPassword(url) })),
    )
  }),
)

/** All that commands use, on the Redis that the environment variables name (decisions 6). */
export const OpsLive = (environment: Environment) =>
  Layer.mergeAll(SellersLive, EndpointsLive).pipe(
    Layer.provide(Layer.mergeAll(UsersLive, PasswordsLive, AccountSecretsLive, DestinationCheckLive)),
    Layer.provideMerge(IdentifiersLive),
    Layer.provideMerge(StoreLive),
    Layer.provide(Settings.layer(environment)),
  )
export type OpsServices = Layer.Success<ReturnType<typeof OpsLive>>
