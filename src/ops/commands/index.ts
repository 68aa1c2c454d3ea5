import type { Command } from "../command.ts"
import type { OpsServices } from "../services.ts"
import { adminCreate } from "./adminCreate.ts"
import { auditRepair } from "./auditRepair.ts"
import { auditVerify } from "./auditVerify.ts"
import { endpointCreate } from "./endpointCreate.ts"
import { inviteCreate } from "./inviteCreate.ts"
import { mail, mailList } from "./mailList.ts"
import { sellerCreate } from "./sellerCreate.ts"
import { sellerShow } from "./sellerShow.ts"
import { streams } from "./streams.ts"

/** Every command but `help`, in the order of the help. */
export const commands: ReadonlyArray<Command<OpsServices>> = [
  sellerCreate,
  sellerShow,
  adminCreate,
  inviteCreate,
  endpointCreate,
  streams,
  auditVerify,
  auditRepair,
  mailList,
  mail,
]
