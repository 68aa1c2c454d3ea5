import { Layer } from "effect"
import type { EncryptionKeys } from "../../crypto/encryptionKeys.ts"
import { StepUpsLive } from "../sessions/stepUp.ts"
import { BackupCodesLive } from "./backupCodes.ts"
import { MailCodesLive } from "./mailCodes.ts"
import { PasskeysLive } from "./passkeys.ts"
import { SecondFactorsLive } from "./secondFactor.ts"
import { TrustedDevicesLive } from "./trustedDevices.ts"
import { TwoFactorLive } from "./twoFactor.ts"
import { SecondStepsLive } from "./twoFactorSignIn.ts"

/** Second factors, passkeys, step-ups and trusted devices, under keys drawn from those of `ENCRYPTION_KEY`. */
export const TwoFactorServicesLive = (keys: EncryptionKeys) =>
  Layer.mergeAll(TwoFactorLive, StepUpsLive, SecondStepsLive, PasskeysLive, TrustedDevicesLive(keys)).pipe(
    Layer.provide(Layer.mergeAll(SecondFactorsLive, MailCodesLive)),
    Layer.provideMerge(BackupCodesLive),
  )
