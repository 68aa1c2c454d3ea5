import { Layer } from "effect"
import { OperatorLogLive } from "../operatorLog.ts"
import { PostbackSecretsLive } from "../webhookSettings/postbackSecrets.ts"
import { TrackersLive } from "../webhookSettings/trackers.ts"
import { CountersLive } from "./counters.ts"
import { PixKeysLive } from "./pixKeys.ts"
import { SellerChangesLive } from "./sellerChanges.ts"

/** Services for sellers and operators, and the log of operators. */
export const SellerServicesLive = Layer.mergeAll(
  OperatorLogLive,
  CountersLive,
  PixKeysLive,
  PostbackSecretsLive,
  SellerChangesLive,
  TrackersLive,
)
