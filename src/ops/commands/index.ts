import type { Command } from "../command.ts"
import type { OpsServices } from "../services.ts"
import { endpointCreate } from "./endpointCreate.ts"
import { mailList } from "./mailList.ts"
import { sellerCreate } from "./sellerCreate.ts"
import { sellerShow } from "./sellerShow.ts"
import { streams } from "./streams.ts"

/** Every command but `help`, in the order of the help. */
export const commands: ReadonlyArray<Command<OpsServices>> = [
  sellerCreate,
  sellerShow,
  endpointCreate,
  streams,
  mailList,
]
