import { Clock, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { ApiError } from "../../../schema/errors.ts"
import { resolveDestination } from "./checkDestination.ts"
import { DnsResolver } from "./dnsResolver.ts"
import {
  type AllowedOrigins,
  type InvalidDestination,
  type ParsedDestination,
  parseDestination,
} from "./parseDestination.ts"
import { parseStreamUrl, streamScheme } from "./parseStreamUrl.ts"

/** How long a checked origin is not resolved again: `postback_url` of charges repeat their host. */
const passedForMillis = 30_000
const rememberedMax = 10_000

const invalidUrl = (error: InvalidDestination): ApiError<"invalid_url"> =>
  new ApiError({ code: "invalid_url", param: "url", message: error.message })

const passwordMissing = (): ApiError<"invalid_url"> =>
  new ApiError({
    code: "invalid_url",
    param: "url",
    message: "Give the password of the Redis: rediss://user:password@host:port/?stream=NAME.",
  })

/**
 * Checks the destination rules at registration (docs/contract/endpoints.md#destination-rules); 400 `invalid_url`
 * names the broken one. Attempts resolve the host again, so this cache opens nothing.
 */
export const DestinationCheckLive = (allowed: AllowedOrigins) =>
  Layer.effect(
    DestinationCheck,
    Effect.map(DnsResolver, (resolver) => {
      const passedAtMillis = new LRUCache<string, number>({ max: rememberedMax })

      const resolve = (parsed: ParsedDestination) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
          const passed = passedAtMillis.get(parsed.origin)
          if (passed !== undefined && nowMillis - passed < passedForMillis) return Effect.void
          return resolveDestination(parsed).pipe(
            Effect.provideService(DnsResolver, resolver),
            Effect.mapError(invalidUrl),
            Effect.tap(() => Effect.sync(() => passedAtMillis.set(parsed.origin, nowMillis))),
            Effect.asVoid,
          )
        })

      const parse = (url: string) =>
        Effect.mapError(Effect.fromResult(parseDestination(url, allowed)), invalidUrl)

      const serverOf = (url: string): string => url.split("/?", 1)[0] ?? ""

      const checkEndpoint = Effect.fnUntraced(function* (given: string, current = "") {
        if (!given.startsWith(streamScheme)) {
          yield* Effect.flatMap(parse(given), resolve)
          return { url: given, password: undefined }
        }
        const parsed = Effect.fromResult(parseStreamUrl(given, allowed))
        const { destination, url, password } = yield* Effect.mapError(parsed, invalidUrl)
        if (password === undefined && serverOf(url) !== serverOf(current)) return yield* passwordMissing()
        yield* resolve(destination)
        return { url, password }
      })

      return {
        checkEndpoint,
        check: (url: string) => Effect.flatMap(parse(url), resolve),
        checkForm: (url: string) => Effect.asVoid(parse(url)),
      }
    }),
  )
