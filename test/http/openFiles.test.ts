import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { limits } from "../../schema/limits.ts"
import { remoteAddressText } from "../../src/http/server/addressList.ts"
import {
  type ConnectionCapsOptions,
  connectionCapsOf,
  openFilesMax,
  remoteAddressesOf,
} from "../../src/http/server/connections.ts"

const unset: ConnectionCapsOptions = {
  connectionsMax: undefined,
  connectionsPerAddressMax: undefined,
  processes: 1,
  openFilesMax: 20_000,
}

describe("connection caps", () => {
  it("connection caps leave files for deliveries and everything else, a third of them where there are few", () => {
    expect(connectionCapsOf(unset)).toEqual({
      total: 20_000 - limits.reservedFiles,
      crowdedAbove: 20_000 - limits.reservedFiles - limits.connectionsRoomMax,
      perAddress: (20_000 - limits.reservedFiles) / 4,
      exemptsLoopback: true,
    })
    expect(connectionCapsOf({ ...unset, openFilesMax: 300 })).toMatchObject({
      total: 200,
      crowdedAbove: 150,
      perAddress: 50,
    })
  })

  it("connection caps of the settings are divided among the processes", () => {
    const options = { ...unset, connectionsMax: 1_000, connectionsPerAddressMax: 10, processes: 3 }
    expect(connectionCapsOf(options)).toEqual({
      total: 334,
      crowdedAbove: 251,
      perAddress: 4,
      exemptsLoopback: false,
    })
  })

  it("connection caps never take the files that an idle process needs, whatever is set", () => {
    const options = fc.record({
      connectionsMax: fc.option(fc.integer({ min: 1, max: 64_000_000 }), { nil: undefined }),
      connectionsPerAddressMax: fc.option(fc.integer({ min: 1, max: 64_000_000 }), { nil: undefined }),
      processes: fc.integer({ min: 1, max: 64 }),
      openFilesMax: fc.oneof(fc.integer({ min: 240, max: 2_000_000 }), fc.constant(Number.POSITIVE_INFINITY)),
    })
    fc.assert(
      fc.property(options, (given) => {
        const { total, crowdedAbove, perAddress } = connectionCapsOf(given)
        expect(given.openFilesMax - total).toBeGreaterThanOrEqual(limits.reservedFilesMin)
        expect(total).toBeGreaterThanOrEqual(1)
        expect(total).toBeLessThanOrEqual(limits.connectionsMax)
        expect(crowdedAbove).toBeGreaterThan(0)
        expect(crowdedAbove).toBeLessThanOrEqual(total)
        expect(perAddress).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it("the number of files that this process may open is known", () => {
    expect(openFilesMax()).toBeGreaterThan(100)
  })
})

describe("the system's table of connections", () => {
  const four = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 100 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0200007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 101 1 0000000000000000 20 4 30 10 -1
  12: 0100007F:1F90 0A0200C0:D432 08 00000000:00000000 00:00000000 00000000     0        0 102 1 0000000000000000 20 4 30 10 -1
  13: 0100007F:1F90 0200007F:D433 06 00000000:00000000 03:00000D4B 00000000     0        0 0 3 0000000000000000
  14: 0200007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 103 1 0000000000000000 20 4 30 10 -1
`
  const six = `  sl  local_address                         remote_address                        st tx_queue rx_queue
   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:D431 01 00000000:00000000
   1: 00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:D432 01 00000000:00000000
`
  it.runIf(process.platform === "linux")(
    "the system's table of connections yields the peers of a port, by IPv4 and IPv6",
    () => {
      const addressesOf = (table: string) => remoteAddressesOf(table, 8_080).map(remoteAddressText)
      expect(addressesOf(four)).toEqual(["127.0.0.2", "192.0.2.10"])
      expect(addressesOf(six)).toEqual(["127.0.0.2", "2001:db8:0:0:0:0:0:1"])
      expect(remoteAddressesOf(four, 8_081)).toEqual([])
    },
  )
})
