import { resolve } from "node:path"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { restoreOwnRedis } from "../../start/ownRedis/restore.ts"
import { printDocument } from "../output.ts"
import { word } from "../parameters.ts"
import { fields, note } from "../text/blocks.ts"
import { settingsOfOwnRedis, shownManifest } from "./backup.ts"

/** What whoever restores must know: docs/contract/exceptions.md#freeze. */
const next =
  "Start the service with npm start, with the ENCRYPTION_KEY of the backup. Payouts and refunds of live wait until the acquirer's books have been compared with this data, which finds what was paid since; the operators' page of health (GET /v1/admin/health) and the metric corrente_payouts_frozen show that. What it cannot match becomes exceptions, and freezes payouts until operators have resolved them."

const force = Flag.Boolean("force").pipe(
  Flag.withDescription("Put existing data aside, instead of refusing"),
  Flag.withDefault(false),
)

/** Needs no Redis: none may run. */
const run = Effect.fnUntraced(function* ({ dir, force }: { readonly dir: string; readonly force: boolean }) {
  const { dataDir } = yield* settingsOfOwnRedis
  const { manifest, putAside } = yield* Effect.scoped(restoreOwnRedis({ dataDir, dir: resolve(dir), force }))
  yield* printDocument({ restored: true, ...manifest, put_aside: putAside ?? null, next }, (document) => [
    note("Restored."),
    fields(...shownManifest(document), ["Put aside", document.put_aside]),
    note(document.next),
  ])
})

export const restore = Command.make(
  "restore",
  { dir: word("dir", "DIR", "The folder of the backup."), force },
  run,
).pipe(
  Command.withShortDescription("Restore a backup as the data of npm start's Redis."),
  Command.withDescription(
    "Restore a backup as the data of the Redis that npm start runs. The service must be stopped. Existing data is refused, or with --force put aside.",
  ),
)
