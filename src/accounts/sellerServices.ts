import { Layer } from "effect"
import { AuditLive } from "./audit.ts"
import { CountersLive } from "./counters.ts"
import { PixKeysLive } from "./pixKeys.ts"
import { PostbackSecretsLive } from "./postbackSecrets.ts"
import { SellerChangesLive } from "./sellerChanges.ts"
import { TrackersLive } from "./trackers.ts"

/** What sellers and operators see and change of a seller, and the record of what operators did. */
export const SellerServicesLive = Layer.mergeAll(
  AuditLive,
  CountersLive,
  PixKeysLive,
  PostbackSecretsLive,
  SellerChangesLive,
  TrackersLive,
)
