import { randomInt, randomUUID } from "node:crypto"
import type { Mode } from "../../../schema/ids.ts"
import type { PixKey } from "../../../schema/resources/pixKey.ts"
import { signInAsSeller } from "../../support/dashboard.ts"
import { dashboardClient } from "./dashboardClient.ts"
import type { Stage } from "./stage.ts"

/** The path of a seller's PIX keys in its dashboard. */
export const ownKeysPath = "/v1/me/pix-keys"

/** The answer to a list of PIX keys. */
export interface PixKeyList {
  readonly data: ReadonlyArray<PixKey>
}

/** The body of a registration with a new value. */
export const freshEmailKey = () => ({ type: "email", value: `${randomUUID()}@example.com` }) as const
export const freshPhoneKey = () =>
  ({ type: "phone", value: `+55119${randomInt(10_000_000, 99_999_999)}` }) as const

/** A seller and its stepped-up dashboards in both modes; by default it may do everything. */
export const openPixShop = async (stage: Stage, options: Parameters<Stage["newSeller"]>[0] = {}) => {
  const seller = await stage.newSeller(options)
  const session = await signInAsSeller(stage.service, seller.id)
  const dashboardOf = (mode: Mode) => {
    const dashboard = dashboardClient(stage.service.url, session, mode)
    return {
      ...dashboard,
      /** Registers a key; fails where it is refused. */
      register: async (body: unknown = freshEmailKey()): Promise<PixKey> => {
        const answer = await dashboard.send<PixKey>("POST", ownKeysPath, body)
        if (answer.status !== 201) throw new Error(`the PIX key was refused: ${answer.text}`)
        return answer.body
      },
      remove: (id: string) => dashboard.send("DELETE", `${ownKeysPath}/${id}`),
      /** The seller's keys of this mode, as its dashboard shows them. */
      list: async (): Promise<ReadonlyArray<PixKey>> =>
        (await dashboard.get<PixKeyList>(ownKeysPath)).body.data,
    }
  }
  /** The keys that withdrawals of a mode can be sent to. */
  const usable = async (mode: Mode): Promise<ReadonlyArray<PixKey>> =>
    (await seller[mode].get<PixKeyList>("/v1/pix-keys")).body.data
  return { seller, live: dashboardOf("live"), test: dashboardOf("test"), usable }
}
export type PixShop = Awaited<ReturnType<typeof openPixShop>>
