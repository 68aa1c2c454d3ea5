import { Effect } from "effect"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { beginFactorTry } from "./beginFactorTry.ts"
import { confirmTwoFactor } from "./confirmTwoFactor.ts"
import { disableTwoFactor } from "./disableTwoFactor.ts"
import { enableTwoFactor } from "./enableTwoFactor.ts"
import { issueMailCode } from "./issueMailCode.ts"
import { recoverTwoFactor } from "./recoverTwoFactor.ts"
import { replaceBackupCodes } from "./replaceBackupCodes.ts"
import { resetTwoFactor } from "./resetTwoFactor.ts"
import { useMailCode } from "./useMailCode.ts"
import { verifySecondStep } from "./verifySecondStep.ts"

/** Makes the store of second factors. */
export const makeTwoFactorStore = Effect.map(RedisClient, (client) => ({
  beginTry: beginFactorTry(client),
  enable: enableTwoFactor(client),
  issueMailCode: issueMailCode(client),
  useMailCode: useMailCode(client),
  confirm: confirmTwoFactor(client),
  disable: disableTwoFactor(client),
  recover: recoverTwoFactor(client),
  /** A user's unused backup codes, as stored. */
  backupCodes: (userId: string) =>
    Effect.map(
      client.call("SMEMBERS", [keys.backupCodesKey(userId)]),
      (reply) => reply as ReadonlyArray<string>,
    ),
  resetTwoFactor: resetTwoFactor(client),
  replaceBackupCodes: replaceBackupCodes(client),
  verifySecondStep: verifySecondStep(client),
}))
