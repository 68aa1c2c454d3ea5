import { resolve } from "node:path"
import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { loadSettings } from "../../config/settings.ts"
import { version } from "../../processes/version.ts"
import { backUp } from "../../start/backups/backUp.ts"
import type { BackupManifest } from "../../start/backups/backupFolder.ts"
import { redisUrlFor } from "../../start/ownRedis/redisUrlFor.ts"
import { library } from "../../store/redis/functionLibrary.ts"
import { OpsEnvironment } from "../answer.ts"
import { printDocument } from "../output.ts"
import { switchFlag, word } from "../parameters.ts"
import { type Block, fields, note, table } from "../text/blocks.ts"
import { count, time } from "../text/values.ts"

const shownCount = (value: number | null): string => (value === null ? "not counted" : count(value))

/** A backup's manifest, as people read it. */
export const shownManifest = (manifest: BackupManifest): ReadonlyArray<Block> => [
  fields(
    ["Taken", time(manifest.taken_at)],
    ["Service", `${manifest.version}, with the function library ${manifest.library_version}`],
    ["Feeds", shownCount(manifest.feeds?.count ?? null)],
  ),
  table(
    ["File", "Of", "Taken", "Keys", "Bytes", "SHA-256"],
    manifest.nodes.map(({ file, role, server, taken_at, keys, bytes, sha256 }) => [
      file,
      server === null ? role : `${role} ${server}`,
      time(taken_at),
      shownCount(keys),
      count(bytes),
      sha256,
    ]),
  ),
]

const keyNote =
  "Its secrets can be read with ENCRYPTION_KEY alone: do not lose the key, and keep it apart from the backup."
const uncheckedNote =
  "No redis-server of this machine has loaded it, so its keys and the positions of its feeds are not known, and nothing shows yet that it can be restored."

/** Needs none of the services of other commands, and writes nothing to Redis. */
const runBackup = Effect.fnUntraced(function* (input: {
  readonly dir: string
  readonly fromPrimaries: boolean
  readonly unchecked: boolean
}) {
  const settings = yield* Effect.flatMap(OpsEnvironment, loadSettings)
  const dir = resolve(input.dir)
  const manifest = yield* backUp({
    url: Redacted.value(yield* redisUrlFor(settings)),
    dir,
    version,
    libraryVersion: library.version,
    isFromPrimaries: input.fromPrimaries,
    isChecked: !input.unchecked,
  })
  yield* printDocument({ dir, ...manifest }, (document) => [
    fields(["Folder", document.dir]),
    ...shownManifest(document),
    ...(document.feeds === null ? [note(uncheckedNote)] : []),
    note(keyNote),
  ])
})

export const backup = Command.make(
  "backup",
  {
    dir: word("dir", "DIR", "A folder that is new or empty."),
    fromPrimaries: switchFlag("from-primaries", "Read primaries even where there are replicas"),
    unchecked: switchFlag(
      "unchecked",
      "Spare the memory of loading each snapshot in a redis-server of this machine",
    ),
  },
  runBackup,
).pipe(
  Command.withShortDescription("Back up Redis while the service runs."),
  Command.withDescription(
    "Back up Redis while the service runs: a snapshot of each primary, from a replica where there is one, and a manifest. Keep ENCRYPTION_KEY, apart from it.",
  ),
)
