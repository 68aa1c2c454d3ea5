import { Effect, Layer } from "effect"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { ApiError } from "../../../schema/errors.ts"
import { checkDestination } from "./checkDestination.ts"
import { DnsResolver } from "./dnsResolver.ts"
import type { AllowedOrigins } from "./parseDestination.ts"

/** The destination rules at registration (spec 4.3); 400 `invalid_url` says which one a URL breaks. */
export const DestinationCheckLive = (allowed: AllowedOrigins) =>
  Layer.effect(
    DestinationCheck,
    Effect.map(DnsResolver, (resolver) => ({
      check: (url: string) =>
        checkDestination(url, allowed).pipe(
          Effect.provideService(DnsResolver, resolver),
          Effect.mapError(
            (error) => new ApiError({ code: "invalid_url", param: "url", message: error.message }),
          ),
          Effect.asVoid,
        ),
    })),
  )
