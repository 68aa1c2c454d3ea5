import { Effect, Layer } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { type ApiPixOptions, makeApiPix } from "./apiPix/apiPix.ts"
import { makeSimulator, type SimulatorOptions } from "./simulator/simulator.ts"

/** The simulator for test mode, and for live too where no partner is set (decisions 3). */
export const AcquirersLive = (options: SimulatorOptions, apiPix?: ApiPixOptions) =>
  Layer.effect(
    Acquirers,
    Effect.gen(function* () {
      const simulator = makeSimulator(options, yield* Identifiers)
      return { live: apiPix === undefined ? simulator : yield* makeApiPix(apiPix), test: simulator }
    }),
  )
