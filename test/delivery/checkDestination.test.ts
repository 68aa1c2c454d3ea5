import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  checkDestination,
  DNS_TIMEOUT_MILLIS,
  resolveDestination,
} from "../../src/delivery/destination/checkDestination.ts"
import { DnsResolver, layerDnsResolver } from "../../src/delivery/destination/dnsResolver.ts"
import { type Answer, type DnsAnswer, startDnsServer } from "./dnsServer.ts"

const URL_UNDER_TEST = "https://hooks.example.com/a"
const PUBLIC_IPV6 = "2606:4700:0:0:0:0:0:1111"
const none: ReadonlySet<string> = new Set()

const nameServer = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.promise(() => startDnsServer(answer)),
    (server) => Effect.promise(() => server.close()),
  )

/** Checks a URL with the real resolver, against a name server that gives this answer. */
const checkWith = (answer: DnsAnswer, url = URL_UNDER_TEST) =>
  Effect.gen(function* () {
    const server = yield* nameServer(() => answer)
    return yield* checkDestination(url, none).pipe(
      Effect.provide(layerDnsResolver({ servers: [server.address] })),
      Effect.match({ onSuccess: () => "accepted", onFailure: (invalid) => invalid.reason }),
    )
  })

describe("checkDestination", () => {
  it.effect.each([
    [["93.184.216.34"], "accepted"],
    [["93.184.216.34", PUBLIC_IPV6], "accepted"],
    [[PUBLIC_IPV6], "accepted"],
    [["10.0.0.1"], "private_address"],
    [["93.184.216.34", "10.0.0.1"], "private_address"],
    [["93.184.216.34", "fc00:0:0:0:0:0:0:1"], "private_address"],
    [["0:0:0:0:0:ffff:7f00:1"], "private_address"],
    [["127.0.0.1"], "private_address"],
    [[], "unresolvable"],
    ["unknown", "unresolvable"],
    ["failure", "unresolvable"],
  ] as const)(
    "checkDestination judges a host by all that its name server answers: %j",
    ([answer, expected]) =>
      Effect.gen(function* () {
        expect(yield* checkWith(answer)).toBe(expected)
      }),
  )

  it.effect("checkDestination judges the URL itself first, without a look-up", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => ["93.184.216.34"])
      const invalid = yield* checkDestination("https://hooks.example.com:444/", none).pipe(
        Effect.provide(layerDnsResolver({ servers: [server.address] })),
        Effect.flip,
      )
      expect(invalid.reason).toBe("port_not_443")
      expect(server.queries).toEqual([])
    }),
  )

  it.effect("checkDestination does not resolve an exempt origin", () =>
    Effect.gen(function* () {
      const checked = yield* checkDestination(
        "https://receiver.test:8443/a",
        new Set(["https://receiver.test:8443"]),
      ).pipe(Effect.provide(scripted(() => Effect.die("resolved"))))
      expect(checked.isExempt).toBe(true)
    }),
  )

  it.effect("checkDestination refuses a name whose answer is empty", () =>
    Effect.gen(function* () {
      const invalid = yield* checkDestination(URL_UNDER_TEST, none).pipe(
        Effect.provide(scripted(() => Effect.succeed([]))),
        Effect.flip,
      )
      expect(invalid.reason).toBe("unresolvable")
    }),
  )

  it.effect("checkDestination waits for a name server until the DNS deadline and no longer", () =>
    Effect.gen(function* () {
      const fiber = yield* checkDestination(URL_UNDER_TEST, none).pipe(
        Effect.provide(scripted(() => Effect.never)),
        Effect.flip,
        Effect.forkChild,
      )
      yield* TestClock.adjust(DNS_TIMEOUT_MILLIS - 1)
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect((yield* Fiber.join(fiber)).reason).toBe("unresolvable")
    }),
  )
})

const scripted = (answer: (hostname: string) => Effect.Effect<ReadonlyArray<string>>) =>
  Layer.succeed(DnsResolver, { resolve: answer, lookup: answer })

describe("resolveDestination", () => {
  it.effect("resolveDestination asks the operating system about an exempt origin and takes any address", () =>
    Effect.gen(function* () {
      const origin = "https://receiver.test:8443"
      yield* Effect.gen(function* () {
        const destination = yield* checkDestination(origin, new Set([origin]))
        expect(yield* resolveDestination(destination)).toEqual(["10.0.0.1"])
      }).pipe(
        Effect.provide(
          Layer.succeed(DnsResolver, {
            resolve: () => Effect.die("asked the name servers"),
            lookup: () => Effect.succeed(["10.0.0.1"]),
          }),
        ),
      )
    }),
  )

  it.effect("resolveDestination resolves anew each time, so that a changed answer is seen", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => ["93.184.216.34"])
      yield* Effect.gen(function* () {
        const destination = yield* checkDestination(URL_UNDER_TEST, none)
        server.answerWith(() => ["93.184.216.35", "93.184.216.36"])
        expect(yield* resolveDestination(destination)).toEqual(["93.184.216.35", "93.184.216.36"])
        server.answerWith(() => ["127.0.0.1"])
        expect((yield* Effect.flip(resolveDestination(destination))).reason).toBe("private_address")
      }).pipe(Effect.provide(layerDnsResolver({ servers: [server.address] })))
    }),
  )
})

describe("the DNS resolver", () => {
  const resolve = (hostname: string) => DnsResolver.use((resolver) => resolver.resolve(hostname))

  it.effect("the DNS resolver gives the addresses of both families", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => [PUBLIC_IPV6, "93.184.216.34"])
      const addresses = yield* resolve("a.example").pipe(
        Effect.provide(layerDnsResolver({ servers: [server.address] })),
      )
      expect(addresses).toEqual(["93.184.216.34", "2606:4700::1111"])
    }),
  )

  it.effect("the DNS resolver reads the hosts file for a name unknown to DNS, not when DNS failed", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => "unknown")
      yield* Effect.gen(function* () {
        expect(yield* resolve("localhost")).toContain("127.0.0.1")
        server.answerWith(() => "failure")
        expect((yield* Effect.flip(resolve("localhost"))).code).toBe("ESERVFAIL")
        server.answerWith((_hostname, family) => (family === 4 ? "unknown" : "failure"))
        expect((yield* Effect.flip(resolve("localhost"))).code).toBe("ESERVFAIL")
      }).pipe(Effect.provide(layerDnsResolver({ servers: [server.address] })))
    }),
  )

  it.effect("the DNS resolver shares one query among concurrent callers, and queries again later", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => ["93.184.216.34"])
      yield* Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 20 }, () => resolve("a.example")),
          { concurrency: "unbounded" },
        )
        expect(server.queries).toHaveLength(2)
        yield* resolve("a.example")
        expect(server.queries).toHaveLength(4)
      }).pipe(Effect.provide(layerDnsResolver({ servers: [server.address] })))
    }),
  )

  it.effect("the DNS resolver is not held up by names whose servers stall", () =>
    Effect.gen(function* () {
      const server = yield* nameServer((name) => (name === "good.example" ? ["93.184.216.34"] : "silence"))
      yield* Effect.gen(function* () {
        const stalled = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 20 }, (_, number) => Effect.exit(resolve(`stalled${number}.example`))),
            { concurrency: "unbounded" },
          ),
          { startImmediately: true },
        )
        expect(yield* resolve("good.example")).toEqual(["93.184.216.34"])
        expect(stalled.pollUnsafe()).toBeUndefined()
        yield* Fiber.interrupt(stalled)
      }).pipe(Effect.provide(layerDnsResolver({ servers: [server.address] })))
    }),
  )

  it.effect("the DNS resolver's lookup asks the operating system, not the name servers", () =>
    Effect.gen(function* () {
      const server = yield* nameServer(() => ["93.184.216.34"])
      const addresses = yield* DnsResolver.use((resolver) => resolver.lookup("localhost")).pipe(
        Effect.provide(layerDnsResolver({ servers: [server.address] })),
      )
      expect(addresses).toContain("127.0.0.1")
      expect(server.queries).toEqual([])
    }),
  )
})
