import { Command } from "effect/cli"
import { globalFlags } from "../session.ts"
import { advance } from "./advance.ts"
import { chargeCreate } from "./chargeCreate.ts"
import { events } from "./events.ts"
import { listen } from "./listen.ts"
import { resend } from "./resend.ts"
import { trigger } from "./trigger.ts"

/** Every command, in the order of the help. */
export const corrente = Command.make("corrente").pipe(
  Command.withDescription("Receive webhooks on your machine, and make things happen in test mode."),
  Command.withSubcommands([
    listen,
    trigger,
    resend,
    events,
    Command.make("charge").pipe(
      Command.withDescription("Make charges."),
      Command.withSubcommands([chargeCreate]),
    ),
    advance,
  ]),
  Command.withGlobalFlags(globalFlags),
)
