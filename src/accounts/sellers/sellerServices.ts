import { Layer } from "effect"
import { AuditLive } from "../operatorLog.ts"
import { PostbackSecretsLive } from "../webhookSettings/postbackSecrets.ts"
import { TrackersLive } from "../webhookSettings/trackers.ts"
import { CountersLive } from "./counters.ts"
import { PixKeysLive } from "./pixKeys.ts"
import { SellerChangesLive } from "./sellerChanges.ts"

/** What sellers and operators see and change of a seller, and the record of what operators did. */
export const SellerServicesLive = Layer.mergeAll(
  AuditLive,
  CountersLive,
  PixKeysLive,
  PostbackSecretsLive,
  SellerChangesLive,
  TrackersLive,
)
