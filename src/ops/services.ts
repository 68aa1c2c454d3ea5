import { randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { AccountSecrets } from "../accounts/accountSecrets.ts"
import { OperatorLogLive } from "../accounts/operatorLog.ts"
import { SecurityNoticesLive } from "../accounts/securityNotices.ts"
import { SellersLive } from "../accounts/sellers/sellers.ts"
import { SessionsLive } from "../accounts/sessions/sessions.ts"
import { BackupCodesLive } from "../accounts/twoFactor/backupCodes.ts"
import { InviteMailsLive } from "../accounts/users/inviteMails.ts"
import { InvitesLive } from "../accounts/users/invites.ts"
import { OperatorsLive } from "../accounts/users/operators.ts"
import { PasswordCost, PasswordsLive } from "../accounts/users/passwords.ts"
import { UserAccessLive } from "../accounts/users/userAccess.ts"
import { UsersLive } from "../accounts/users/users.ts"
import { EndpointsLive } from "../accounts/webhookSettings/endpoints.ts"
import { parseRedisUrl } from "../config/redisUrl.ts"
import { Settings } from "../config/settings.ts"
import { CipherLive, makeCipher, makeFingerprints } from "../crypto/cipher.ts"
import { IdentifiersLive } from "../crypto/identifiers.ts"
import { DestinationCheckLive } from "../delivery/destination/destinationCheck.ts"
import { layerDnsResolver } from "../delivery/destination/dnsResolver.ts"
import { generateEndpointSecret } from "../delivery/signature.ts"
import type { Environment } from "../env/settingReader.ts"
import { MailLive } from "../mail/mailLive.ts"
import { OwnAddressLive, runningAddress } from "../mail/ownAddress.ts"
import { redisFolderOf } from "../start/ownRedis/redisFolder.ts"
import { redisUrlFor } from "../start/ownRedis/redisUrlFor.ts"
import { ApiKeyStoreLive } from "../store/apiKeys.ts"
import { ClosingStoreLive } from "../store/closings.ts"
import { CustomerDigestsLive } from "../store/customerDigests.ts"
import { MemberStoreLive } from "../store/members.ts"
import { EncryptionKeyCheckLive } from "../store/redis/encryptionKeyCheck.ts"
import { RedisClient, RedisClientLive, withoutPassword } from "../store/redis/redisClient.ts"
import { LibraryLive } from "../store/redisStore.ts"
import { SellerStoreLive } from "../store/sellers.ts"
import { StoreOptions } from "../store/storeOptions.ts"
import { SweepStoreLive } from "../store/sweeps.ts"

/** The address of the commands' Redis. */
export class RedisAddress extends Context.Service<
  RedisAddress,
  {
    /**
     * URL for `redis-cli -u` in a shell, without a password: the server, the primary that Sentinels name now, or a
     * cluster's first primary. For the Redis of `npm start`, a `$(cat …)` of the file that holds its URL and password.
     */
    readonly shownUrl: string
    readonly isCluster: boolean
  }
>()("corrente/ops/RedisAddress") {}

/** Reads the URL of the Redis of `npm start` from its file, so that its password is not shown in a terminal. */
const ownRedisAddress = (dataDir: string) => {
  const file = redisFolderOf(dataDir).addressFile.replaceAll("'", "'\\''")
  return { shownUrl: `$(cat '${file}')`, isCluster: false }
}

const redisAddressOf = (url: string, client: RedisClient["Service"]) => {
  const target = parseRedisUrl(url)
  if (target === undefined || target.kind === "server") {
    return { shownUrl: withoutPassword(url), isCluster: false }
  }
  const [scheme, address] = [target.isTls ? "rediss" : "redis", client.servers()[0]?.address ?? ""]
  const database = target.kind === "sentinel" && target.db > 0 ? `/${target.db}` : ""
  return { shownUrl: `${scheme}://${address}${database}`, isCluster: target.kind === "cluster" }
}

/** The destination rules of deliveries, with the settings' exemptions. */
export const OpsDestinationCheckLive = Layer.unwrap(
  Effect.map(Settings, ({ webhookAllowDestinations }) =>
    DestinationCheckLive(new Set(webhookAllowDestinations)).pipe(Layer.provide(layerDnsResolver())),
  ),
)

/** Secrets in the format of deliveries, sealed with the settings' key. */
export const AccountSecretsLive = Layer.effect(
  AccountSecrets,
  Effect.map(Settings, ({ encryptionKeys }) =>
    AccountSecrets.of({
      signingSecret: () => generateEndpointSecret(randomBytes),
      seal: makeCipher(Redacted.value(encryptionKeys)).seal,
      fingerprints: makeFingerprints(Redacted.value(encryptionKeys)),
    }),
  ),
)

/** Mails that commands send; without PUBLIC_URL, their links lead to the service that runs on this Redis. */
const OpsMailLive = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const reached = { ...settings, publicUrl: settings.publicUrl ?? (yield* runningAddress) }
    return MailLive(reached).pipe(Layer.provideMerge(OwnAddressLive(reached)))
  }),
)

const OpsPasswordsLive = PasswordsLive.pipe(
  Layer.provide(
    Layer.effect(
      PasswordCost,
      Effect.map(Settings, ({ passwordCost }) => passwordCost),
    ),
  ),
)

/** The Redis of the settings with our functions loaded, without what only a server process needs. */
const StoreLive = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const url = Redacted.value(yield* redisUrlFor(settings))
    const encryptionKeys = Redacted.value(settings.encryptionKeys)
    const keyCheck = EncryptionKeyCheckLive(encryptionKeys).pipe(
      Layer.provideMerge(CipherLive(encryptionKeys)),
    )
    const options = {
      retentionMillis: settings.eventRetentionMillis,
      partitions: settings.partitions,
      processId: "ops",
    }
    return Layer.mergeAll(SellerStoreLive, ClosingStoreLive, SweepStoreLive).pipe(
      Layer.provideMerge(Layer.succeed(StoreOptions, options)),
      Layer.provideMerge(CustomerDigestsLive(encryptionKeys)),
      Layer.provideMerge(keyCheck),
      Layer.provideMerge(LibraryLive),
      Layer.merge(
        Layer.effect(
          RedisAddress,
          settings.redisUrl === undefined
            ? Effect.succeed(ownRedisAddress(settings.dataDir))
            : Effect.map(RedisClient, (client) => redisAddressOf(url, client)),
        ),
      ),
      Layer.provideMerge(RedisClientLive(url, settings.replication)),
    )
  }),
)

/** Everything that commands use, on the Redis that the environment variables name. */
export const OpsLive = (environment: Environment) =>
  Layer.mergeAll(SellersLive, OperatorsLive, EndpointsLive, InviteMailsLive, UserAccessLive).pipe(
    Layer.provide(
      Layer.mergeAll(
        InvitesLive,
        SecurityNoticesLive,
        SessionsLive.pipe(Layer.provide([ApiKeyStoreLive, MemberStoreLive])),
      ),
    ),
    Layer.provideMerge(UsersLive),
    Layer.provide(Layer.mergeAll(OpsPasswordsLive, BackupCodesLive)),
    Layer.provideMerge(OperatorLogLive),
    Layer.provide(Layer.mergeAll(OpsDestinationCheckLive, OpsMailLive)),
    Layer.provideMerge(AccountSecretsLive),
    Layer.provideMerge(IdentifiersLive),
    Layer.provideMerge(StoreLive),
    Layer.provideMerge(Settings.layer(environment)),
  )
export type OpsServices = Layer.Success<ReturnType<typeof OpsLive>>
