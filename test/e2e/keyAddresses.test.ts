import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ApiKey, NewApiKey } from "../../schema/resources/apiKey.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { until } from "../support/until.ts"
import { type ErrorBody, eventually, makeClient, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ TRUSTED_PROXIES: "127.0.0.1,::1" })
})
afterAll(() => stage?.close())

type Made = typeof NewApiKey.Type
const path = "/v1/me/api-keys"

const openShop = async (): Promise<DashboardClient> => {
  const { id } = await stage.newSeller()
  return dashboardClient(stage.service.url, await signInAsSeller(stage.service, id), "test")
}

const makeKey = async (dashboard: DashboardClient, allowed_ips: ReadonlyArray<string>): Promise<Made> =>
  (await dashboard.send<Made>("POST", path, { name: "x", mode: "test", allowed_ips })).body

/** Asks with a key, as if from a client behind the trusted proxy. */
const ask = (key: string, from: string, route = "/v1/balance") =>
  makeClient(stage.service.url, key).request<ErrorBody>("GET", route, {
    headers: { "X-Forwarded-For": from },
  })

/** The status, or the code of a refusal. */
const outcome = async (key: string, from: string, route?: string) => {
  const { status, body } = await ask(key, from, route)
  return status < 400 ? status : [status, body.error.code]
}

const refused = [403, "ip_not_allowed"]

describe("an API key that is bound to addresses", () => {
  it.each<readonly [range: string, inside: ReadonlyArray<string>, outside: ReadonlyArray<string>]>([
    ["203.0.113.7", ["203.0.113.7", "203.0.113.7:51000", "::ffff:203.0.113.7"], ["203.0.113.8", "unknown"]],
    ["203.0.113.7/32", ["203.0.113.7"], ["203.0.113.6", "2001:db8::1"]],
    ["203.0.112.0/23", ["203.0.112.0", "203.0.113.255"], ["203.0.114.0"]],
    ["0.0.0.0/0", ["203.0.113.7"], ["2001:db8::1", "unknown"]],
    ["2001:db8::/32", ["2001:db8::1", "[2001:db8:ffff::1]:443"], ["2001:db9::1", "203.0.113.7"]],
    ["::/0", ["2001:db8::1"], ["203.0.113.7", "_hidden"]],
    ["::ffff:203.0.113.0/120", ["203.0.113.7", "::ffff:203.0.113.7"], ["203.0.114.7"]],
  ])("%s works from there alone", async (range, inside, outside) => {
    const { key } = await makeKey(await openShop(), [range])
    for (const from of inside) expect([from, await outcome(key, from)]).toEqual([from, 200])
    for (const from of outside) expect([from, await outcome(key, from)]).toEqual([from, refused])
    expect(await outcome(key, outside[0] ?? "", "/events")).toEqual(refused)
    expect(await outcome(key, `${inside[0]}, ${outside[0]}`)).toEqual(refused)
  })

  it("without a list it works from anywhere, also where the address is unknown", async () => {
    const { key } = await makeKey(await openShop(), [])
    for (const from of ["203.0.113.7", "2001:db8::1", "unknown"]) expect(await outcome(key, from)).toBe(200)
  })

  it("refused requests are in the request log with their address, and are no use of the key", async () => {
    const dashboard = await openShop()
    const { id, key } = await makeKey(dashboard, ["203.0.113.7"])
    const keyOf = async () =>
      (await dashboard.get<{ data: ReadonlyArray<ApiKey> }>(path)).body.data.find((one) => one.id === id)
    expect(await outcome(key, "198.51.100.1")).toEqual(refused)
    type Logged = { ip_address: string; error_code: string; key_id: string }
    const logged = await eventually("the refused request", async () => {
      const { data } = (await dashboard.get<Page<Logged>>("/v1/me/requests?status=4xx")).body
      return data[0]
    })
    expect(logged).toMatchObject({
      ip_address: "198.51.100.1",
      error_code: "ip_not_allowed",
      key_id: id,
    })
    expect(await outcome(key, "203.0.113.7")).toBe(200)
    await until("the use", async () => (await keyOf())?.last_used_at !== null)
    expect(await keyOf()).toMatchObject({ last_used_ip: "203.0.113.7" })
  })
})
