import { describe } from "@effect/vitest"
import { itDoesWhatTheServiceDoes, usePeer } from "./support/chargePeer.ts"

describe("the bare server", () => {
  itDoesWhatTheServiceDoes(usePeer("bare"))
})
