import { Command, Flag, GlobalFlag } from "effect/cli"
import { adminCreate, adminResetTwoFactor } from "./adminCreate.ts"
import { auditLog } from "./auditLogExport.ts"
import { auditRepair } from "./auditRepair.ts"
import { auditVerify } from "./auditVerify.ts"
import { backup } from "./backup.ts"
import { closingShow } from "./closingShow.ts"
import { endpointCreate } from "./endpointCreate.ts"
import { inviteCreate } from "./inviteCreate.ts"
import { keysRotate, keysShow } from "./keysShow.ts"
import { mail } from "./mailList.ts"
import { partitionMove } from "./partitionMove.ts"
import { partitionShow } from "./partitionShow.ts"
import { restore } from "./restore.ts"
import { sellerCreate } from "./sellerCreate.ts"
import { sellerEraseCustomer } from "./sellerEraseCustomer.ts"
import { sellerShow } from "./sellerShow.ts"
import { streams } from "./streams.ts"
import { sweepAccept } from "./sweepAccept.ts"
import { sweepShow } from "./sweepShow.ts"
import { adminDisable, adminEnable, userDisable, userEnable, userEndSessions } from "./userAccess.ts"

/** Read from the command line before it is parsed ({@link outputStyleOf}); declared here for help and completions. */
const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription(
      "Print one line of JSON, help too: the default unless stdout is a terminal, where tables are; --no-json has tables anywhere",
    ),
    Flag.withDefault(false),
  ),
})

/** Every command, in the order of the help. */
export const ops = Command.make("ops").pipe(
  Command.withDescription(
    "Operate a Corrente service through its Redis. Run as `npm run --silent ops -- COMMAND`.",
  ),
  Command.withSubcommands([
    Command.make("seller").pipe(
      Command.withDescription("Create and show sellers, and erase their customers."),
      Command.withSubcommands([sellerCreate, sellerShow, sellerEraseCustomer]),
    ),
    Command.make("admin").pipe(
      Command.withDescription("Create operators, give them a new second factor, and shut them out."),
      Command.withSubcommands([adminCreate, adminResetTwoFactor, adminDisable, adminEnable]),
    ),
    Command.make("user").pipe(
      Command.withDescription("Shut users out, and let them in again."),
      Command.withSubcommands([userDisable, userEnable, userEndSessions]),
    ),
    Command.make("invite").pipe(
      Command.withDescription("Invite people to sign up."),
      Command.withSubcommands([inviteCreate]),
    ),
    Command.make("endpoint").pipe(
      Command.withDescription("Register webhook endpoints."),
      Command.withSubcommands([endpointCreate]),
    ),
    streams,
    Command.make("audit").pipe(
      Command.withDescription("Check and repair what is stored."),
      Command.withSubcommands([auditVerify, auditRepair]),
    ),
    auditLog,
    Command.make("closing").pipe(
      Command.withDescription("Show the books of closed days."),
      Command.withSubcommands([closingShow]),
    ),
    Command.make("sweep").pipe(
      Command.withDescription(
        "Show how far the acquirer's books are compared, and let sweeps pass over what they cannot read.",
      ),
      Command.withSubcommands([sweepShow, sweepAccept]),
    ),
    Command.make("partition").pipe(
      Command.withDescription("Show where partitions are on a Redis Cluster, and move them."),
      Command.withSubcommands([partitionShow, partitionMove]),
    ),
    Command.make("keys").pipe(
      Command.withDescription("Show what uses each key of ENCRYPTION_KEY, and rotate to the newest."),
      Command.withSubcommands([keysShow, keysRotate]),
    ),
    mail,
    backup,
    restore,
  ]),
  Command.withGlobalFlags([Json]),
)
