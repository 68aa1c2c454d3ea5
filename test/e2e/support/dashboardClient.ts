import type { Mode } from "../../../schema/ids.ts"
import { type DashboardSession, signInAsOperator } from "../../support/dashboard.ts"
import type { Service } from "../../support/service.ts"
import { type Answer, type Client, type ErrorBody, makeClient, type RequestInput } from "./client.ts"

/** Calls the service as a dashboard does. */
export interface DashboardClient extends Client {
  /** Sends a request of any method, and returns any answer. */
  readonly send: <T = ErrorBody>(method: string, path: string, body?: unknown) => Promise<Answer<T>>
}

/** A client under a session's cookie. It names a mode where one is given; the service takes live otherwise. */
export const dashboardClient = (
  origin: string,
  session: Pick<DashboardSession, "cookie">,
  mode?: Mode,
): DashboardClient => {
  const bare = makeClient(origin)
  const request = <T>(method: string, path: string, input: RequestInput = {}): Promise<Answer<T>> =>
    bare.request(method, path, {
      ...input,
      headers: {
        Cookie: session.cookie,
        ...(mode === undefined ? {} : { "X-Mode": mode }),
        ...input.headers,
      },
    })
  return {
    ...bare,
    request,
    get: (path) => request("GET", path),
    post: (path, input) => request("POST", path, input),
    send: (method, path, body) => request(method, path, body === undefined ? {} : { body }),
  }
}

/** The dashboards of two operators. */
export const openTwoOperators = async (service: Service) => {
  const open = async () => dashboardClient(service.url, await signInAsOperator(service))
  return { ana: await open(), rui: await open() }
}
