import {
  type BrowserRules,
  browserHeaderNames,
  makeBrowserRequests,
} from "../../src/http/contract/browserRequest.ts"

const rules: BrowserRules = {
  trustedProxies: ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"],
  dashboardOrigins: [],
  publicUrl: undefined,
}

type Given = Partial<Record<(typeof browserHeaderNames)[number], string>>
/** A reader of browsers' requests under the rules above with `changes`; it takes the peer's address and headers. */
export const reader = (changes: Partial<BrowserRules> = {}) => {
  const requests = makeBrowserRequests({ ...rules, ...changes })
  return (remoteAddress: string, given: Given) =>
    requests.read(
      {
        requestId: "",
        authorization: undefined,
        params: [],
        query: "",
        headers: [],
        contentType: "",
        contentEncoding: "",
        body: Buffer.alloc(0),
        remoteAddress,
      },
      browserHeaderNames.map((name) => given[name] ?? ""),
    )
}
