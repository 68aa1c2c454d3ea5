import { addressOf } from "../accounts/people.ts"
import type { UserWishes } from "./userJob.ts"
import { createBody } from "./workloadCharges.ts"

/** Produces the requests of users, and knows the status that grants one. */
export interface UserRequests {
  readonly goodStatus: number
  /** The user's next request. */
  readonly next: (user: number) => Uint8Array
}

const postOf = (path: string, port: number, headers: ReadonlyArray<string>, body: string): Uint8Array =>
  Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
      "",
      body,
    ].join("\r\n"),
  )

/** Makes a job's requests. */
export const makeUserRequests = (port: number, wishes: UserWishes): UserRequests => {
  let count = 0
  switch (wishes.kind) {
    case "charges": {
      const { apiKeys, keyPrefix } = wishes
      const body = JSON.stringify(createBody)
      const next = (user: number) => {
        const headers = [
          `Authorization: Bearer ${apiKeys[user % apiKeys.length] ?? ""}`,
          `Idempotency-Key: ${keyPrefix}-${++count}`,
        ]
        return postOf("/v1/transactions", port, headers, body)
      }
      return { goodStatus: 201, next }
    }
    case "signIns": {
      const { people } = wishes
      const next = () => {
        const body = JSON.stringify(people[count % people.length])
        return postOf("/v1/me/auth/sign-in/email", port, [`X-Forwarded-For: ${addressOf(count++)}`], body)
      }
      return { goodStatus: 200, next }
    }
  }
}
