import { Layer } from "effect"
import { StepUpsLive } from "../sessions/stepUp.ts"
import { BackupCodesLive } from "./backupCodes.ts"
import { SecondFactorsLive } from "./secondFactor.ts"
import { TrustedDevicesLive } from "./trustedDevices.ts"
import { TwoFactorLive } from "./twoFactor.ts"
import { SecondStepsLive } from "./twoFactorSignIn.ts"

/** Second factors, step-ups and trusted devices, under keys drawn from `encryptionKey` (32 bytes). */
export const TwoFactorServicesLive = (encryptionKey: Uint8Array) =>
  Layer.mergeAll(TwoFactorLive, StepUpsLive, SecondStepsLive, TrustedDevicesLive(encryptionKey)).pipe(
    Layer.provide(SecondFactorsLive),
    Layer.provideMerge(BackupCodesLive(encryptionKey)),
  )
