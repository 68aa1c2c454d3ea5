import { Command, Flag, GlobalFlag } from "effect/cli"
import { adminCreate } from "./adminCreate.ts"
import { auditRepair } from "./auditRepair.ts"
import { auditVerify } from "./auditVerify.ts"
import { endpointCreate } from "./endpointCreate.ts"
import { inviteCreate } from "./inviteCreate.ts"
import { mail } from "./mailList.ts"
import { sellerCreate } from "./sellerCreate.ts"
import { sellerShow } from "./sellerShow.ts"
import { streams } from "./streams.ts"

/** Read from the command line before it is parsed ({@link outputStyleOf}); declared here for help and completions. */
const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one line of JSON, help too: the default unless stdout is a terminal"),
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
      Command.withDescription("Create and show sellers."),
      Command.withSubcommands([sellerCreate, sellerShow]),
    ),
    Command.make("admin").pipe(
      Command.withDescription("Create operators."),
      Command.withSubcommands([adminCreate]),
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
    mail,
  ]),
  Command.withGlobalFlags([Json]),
)
