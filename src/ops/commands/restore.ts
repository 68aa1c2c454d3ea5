import { resolve } from "node:path"
import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { validationFailed } from "../../../schema/errors.ts"
import { type MendedSeams, mendSeams } from "../../audit/restoredSeams.ts"
import { loadSettings } from "../../config/settings.ts"
import type { BackupManifest } from "../../start/backups/backupFolder.ts"
import { restoreInto } from "../../start/backups/restoreInto.ts"
import { restoreOwnRedis } from "../../start/backups/restoreOwnRedis.ts"
import { RedisClient, RedisClientLive } from "../../store/redis/redisClient.ts"
import { OpsEnvironment } from "../answer.ts"
import { printDocument } from "../output.ts"
import { switchFlag, word } from "../parameters.ts"
import { fields, note } from "../text/blocks.ts"
import { count } from "../text/values.ts"
import { toApiError } from "./auditVerify.ts"
import { shownManifest } from "./backup.ts"

/** What whoever restores must know: docs/contract/exceptions.md#freeze. */
const next =
  "Start the service, with the ENCRYPTION_KEY of the backup. Payouts and refunds of live wait until the acquirer's books have been compared with this data, which finds what was paid since; the operators' page of health (GET /v1/admin/health) and the metric corrente_payouts_frozen show that. What it cannot match becomes exceptions, and freezes payouts until operators have resolved them."

const restoreOwn = Effect.fnUntraced(function* (dataDir: string, dir: string, force: boolean) {
  const { manifest, putAside } = yield* Effect.scoped(restoreOwnRedis({ dataDir, dir, force }))
  yield* printDocument({ restored: true, ...manifest, put_aside: putAside ?? null, next }, (document) => [
    note("Restored."),
    ...shownManifest(document),
    fields(["Put aside", document.put_aside]),
    note(document.next),
  ])
})

/** Snapshots of one moment have no seams. */
const mendedSeams = ({ nodes }: BackupManifest, url: string) =>
  nodes.length === 1
    ? Effect.succeed(undefined)
    : Effect.flatMap(RedisClient, mendSeams).pipe(
        Effect.mapError(toApiError),
        Effect.provide(RedisClientLive(url)),
      )

const shownSeams = (seams: MendedSeams) =>
  fields(
    ["Accounts swept from the beginning", count(seams.accounts_swept_again)],
    ["Days to close again", count(seams.days_reopened)],
    ["Claims of Pix added", count(seams.pix_claims_added)],
    ["Claims of Pix removed", count(seams.pix_claims_removed)],
    ["Users without their seller", count(seams.users_without_seller_count)],
    ["Sellers without their user", count(seams.sellers_without_user_count)],
  )

const restoreAnother = Effect.fnUntraced(function* (url: string, dir: string) {
  const { manifest, keys } = yield* Effect.scoped(restoreInto(url, dir))
  const seams = yield* mendedSeams(manifest, url)
  yield* printDocument({ restored: true, ...manifest, keys, seams: seams ?? null, next }, (document) => [
    note("Restored."),
    ...shownManifest(document),
    fields(["Keys restored", count(document.keys)]),
    ...(document.seams === null ? [] : [shownSeams(document.seams)]),
    note(document.next),
  ])
})

const runRestore = Effect.fnUntraced(function* (input: { readonly dir: string; readonly force: boolean }) {
  const { redisUrl, dataDir } = yield* Effect.flatMap(OpsEnvironment, loadSettings)
  const dir = resolve(input.dir)
  if (redisUrl === undefined) return yield* restoreOwn(dataDir, dir, input.force)
  if (input.force) {
    return yield* validationFailed(
      "force",
      "The Redis of REDIS_URL must be empty: nothing of it is put aside.",
    )
  }
  return yield* restoreAnother(Redacted.value(redisUrl), dir)
})

export const restore = Command.make(
  "restore",
  {
    dir: word("dir", "DIR", "The folder of the backup."),
    force: switchFlag("force", "Put existing data of npm start's Redis aside, instead of refusing"),
  },
  runRestore,
).pipe(
  Command.withShortDescription("Restore a backup into an empty Redis, or as the data of npm start's."),
  Command.withDescription(
    "Restore a backup into the empty Redis of REDIS_URL, which may be a server or a cluster of any size, or as the data of the Redis that npm start runs. The service must be stopped. Existing data is refused; that of npm start's Redis is put aside with --force.",
  ),
)
