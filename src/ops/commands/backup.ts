import { resolve } from "node:path"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { validationFailed } from "../../../schema/errors.ts"
import { loadSettings } from "../../config/settings.ts"
import type { SettingsShape } from "../../config/settingsShape.ts"
import { version } from "../../processes/version.ts"
import { backUpOwnRedis } from "../../start/ownRedis/backup.ts"
import type { BackupManifest } from "../../start/ownRedis/backupFiles.ts"
import { library } from "../../store/redis/functionLibrary.ts"
import { answer, OpsEnvironment } from "../answer.ts"
import { word } from "../parameters.ts"
import { fields, note } from "../text/blocks.ts"
import { count, time } from "../text/values.ts"

/** Backing up and restoring take as long as the disk does. */
export const backupTimeoutMillis = 60 * 60 * 1000

/** The settings where `npm start` runs its own Redis; 400 at `REDIS_URL` where another is set. */
export const settingsOfOwnRedis = Effect.flatMap(OpsEnvironment, loadSettings).pipe(
  Effect.filterOrFail(
    (settings: SettingsShape) => settings.redisUrl === undefined,
    () =>
      validationFailed(
        "REDIS_URL",
        "This is for the Redis that npm start runs by itself. Back up and restore the Redis of REDIS_URL with its own tools: docs/operations.md#backups.",
      ),
  ),
)

/** A backup's manifest, as people read it. */
export const shownManifest = (manifest: BackupManifest) =>
  [
    ["Taken", time(manifest.taken_at)],
    ["Keys", count(manifest.keys)],
    ["Bytes", count(manifest.bytes)],
    ["Service", `${manifest.version}, with the function library ${manifest.library_version}`],
    ["Redis", manifest.redis_version],
    ["SHA-256", manifest.sha256],
  ] as const

const run = answer(
  Effect.fnUntraced(function* ({ dir, dataDir }: { readonly dir: string; readonly dataDir: string }) {
    const options = { dataDir, dir: resolve(dir), version, libraryVersion: library.version }
    const manifest = yield* backUpOwnRedis(options)
    return { dir: options.dir, ...manifest }
  }),
  ({ dir, ...manifest }) => [
    fields(["Folder", dir], ...shownManifest(manifest)),
    note(
      "Its secrets can be read with ENCRYPTION_KEY alone: do not lose the key, and keep it apart from the backup.",
    ),
  ],
  backupTimeoutMillis,
)

export const backup = Command.make(
  "backup",
  { dir: word("dir", "DIR", "A folder that is new or empty.") },
  ({ dir }) => Effect.flatMap(settingsOfOwnRedis, ({ dataDir }) => run({ dir, dataDir })),
).pipe(
  Command.withShortDescription("Back up the Redis that npm start runs."),
  Command.withDescription(
    "Back up the Redis that npm start runs, while it serves: a snapshot of one moment and its manifest. Keep ENCRYPTION_KEY, apart from it.",
  ),
)
