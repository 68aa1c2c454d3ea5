import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { User } from "../../schema/resources/account.ts"
import type { Member, TeamInvite } from "../../schema/resources/member.ts"
import { until } from "../support/until.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  forgetRates,
  freshEmail,
  mailedToken,
  makeOperator,
  makeSellerPerson,
  makeSteppedUp,
  type SellerPerson,
  signInWith2fa,
} from "./support/accountPeople.ts"
import { type ErrorBody, makeClient } from "./support/client.ts"
import { readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
let owner: SellerPerson
let desk: Browser
beforeAll(async () => {
  stage = await openStage()
  owner = await makeSellerPerson(stage, "owner")
  desk = await signInWith2fa(stage, owner)
})
afterAll(() => stage?.close())
beforeEach(() => forgetRates(stage))

const membersPath = "/v1/me/members"
type Invited = { readonly role: string; readonly refund_limit?: number }

/** Invites an address as the owner does, and returns the member with the mailed token. */
const invite = async (email: string, given: Invited, by: Browser = desk) => {
  let member: Member | undefined
  const token = await mailedToken(stage, email, "team_invite", async () => {
    member = await by.must<Member>("POST", membersPath, { body: { email, ...given } })
  })
  if (member === undefined) throw new Error("nobody was invited")
  return { member, token }
}

const password = `correct horse ${randomUUID()}`

/** Signs an invited person up, who is stepped up as with a second factor. */
const joinBySignUp = async (email: string, token: string, browser = makeBrowser(stage.service.url)) => {
  const body = { name: "Bia Lima", email, password, accept_terms: true, invite_token: token }
  const { user } = await browser.must<{ readonly user: User }>("POST", "/v1/me/auth/sign-up/email", { body })
  await makeSteppedUp(stage, user.id)
  return { user, browser }
}

/** Somebody who has joined the owner's team. */
const join = async (given: Invited) => {
  const email = freshEmail("member")
  const { member, token } = await invite(email, given)
  return { email, member, ...(await joinBySignUp(email, token)) }
}

const lastMails = async () => JSON.stringify(await stage.redis("XREVRANGE", "mail", "+", "-", "COUNT", "3"))
const list = async (by: Browser = desk) =>
  (await by.must<{ readonly data: ReadonlyArray<Member> }>("GET", membersPath)).data
const find = async (id: string, by: Browser = desk) => (await list(by)).find((member) => member.id === id)
const refusalOf = async (by: Browser, method: string, path: string, body: object = {}) => {
  const { status, body: answer } = await by.send<ErrorBody>(method, path, { body })
  return [status, answer.error.code, answer.error.param ?? answer.error.details]
}

describe("an invitation", () => {
  it("whoever is invited learns of the team and the role, signs up, and is a member under the same id", async () => {
    const email = freshEmail("bia")
    const { member, token } = await invite(email, { role: "support", refund_limit: 50_000 })
    expect(member).toMatchObject({
      email,
      name: null,
      role: "support",
      refund_limit: 50_000,
      status: "invited",
    })
    const before = Date.now()
    expect(Date.parse(member.expires_at ?? "") - before).toBeGreaterThan(limits.inviteTokenMillis - 60_000)
    const told = await makeBrowser(stage.service.url).must<TeamInvite>(
      "GET",
      `/v1/me/auth/team-invites/${token}`,
    )
    expect(told).toEqual({
      ...{ seller_name: "Loja", email, role: "support", expires_at: member.expires_at, has_account: false },
      refund_limit: 50_000,
      invited_by: { name: expect.any(String), email: owner.email },
    })
    const mails = await lastMails()
    expect(mails).toContain(`${owner.email}`)
    expect(mails).toContain("Sua função: atendimento, com devoluções de até R$ 500,00 cada.")
    const { user, browser } = await joinBySignUp(email.toUpperCase(), token)
    expect(user).toMatchObject({ seller_id: owner.sellerId, seller_role: "support", refund_limit: 50_000 })
    expect(user.emailVerified).toBe(true)
    await until("the mail", async () =>
      (await lastMails()).includes(`${email.toUpperCase()} aceitou o seu convite`),
    )
    expect(await lastMails()).not.toContain(`verify_email","to","${email}`)
    expect(await find(member.id)).toMatchObject({
      ...{ status: "active", name: "Bia Lima", expires_at: null, last_seen_at: expect.stringMatching(/^2/) },
    })
    expect((await list(browser))[0]).toMatchObject({ role: "owner", email: owner.email })
    const again = makeBrowser(stage.service.url)
    expect((await again.send("GET", `/v1/me/auth/team-invites/${token}`)).status).toBe(404)
  })

  it("its token is in the mail alone, good for its own address, and no more once it is sent again or revoked", async () => {
    const email = freshEmail("caio")
    const { member, token } = await invite(email, { role: "viewer" })
    const stored = JSON.stringify(await stage.redis("HGETALL", `members:{p${partition()}}:${owner.sellerId}`))
    expect(stored).not.toContain(token.slice(-43))
    const signUp = (address: string, invite_token: string) =>
      refusalOf(makeBrowser(stage.service.url), "POST", "/v1/me/auth/sign-up/email", {
        ...{ name: "Caio", email: address, password, accept_terms: true, invite_token },
      })
    const unusable = [400, "validation_failed", "invite_token"]
    expect(await signUp(freshEmail("other"), token)).toEqual(unusable)
    expect(await signUp(email, token.slice(0, -1) + (token.endsWith("A") ? "B" : "A"))).toEqual(unusable)
    const newer = await mailedToken(stage, email, "team_invite", () =>
      desk.must("POST", `${membersPath}/${member.id}/resend`),
    )
    expect(newer).not.toBe(token)
    expect(await signUp(email, token)).toEqual(unusable)
    await desk.must("DELETE", `${membersPath}/${member.id}`)
    expect(await signUp(email, newer)).toEqual(unusable)
    expect(await find(member.id)).toBeUndefined()
  })

  it("one that has run out is shown so, opens nothing, and is good again once it is sent again", async () => {
    const email = freshEmail("dora")
    const { member, token } = await invite(email, { role: "viewer" })
    const key = `members:{p${partition()}}:${owner.sellerId}`
    const stored = JSON.parse((await stage.redis("HGET", key, member.id)) as string)
    stored.invitation.expiresAtMillis = Date.now() - 1
    await stage.redis("HSET", key, member.id, JSON.stringify(stored))
    expect((await find(member.id))?.status).toBe("expired")
    const stranger = makeBrowser(stage.service.url)
    expect((await stranger.send("GET", `/v1/me/auth/team-invites/${token}`)).status).toBe(404)
    const newer = await mailedToken(stage, email, "team_invite", () =>
      desk.must("POST", `${membersPath}/${member.id}/resend`),
    )
    await joinBySignUp(email, newer)
    expect((await find(member.id))?.status).toBe("active")
  })

  it("an invitation that was accepted meanwhile is not revoked by whoever takes it for one, and a removed member is mailed", async () => {
    const { email, member, user } = await join({ role: "viewer" })
    expect(await refusalOf(desk, "DELETE", `${membersPath}/${member.id}?expected=invitation`)).toEqual([
      ...[409, "invalid_state", { is: "member" }],
    ])
    expect((await find(member.id))?.status).toBe("active")
    const { member: open } = await invite(freshEmail("open"), { role: "viewer" })
    expect(await refusalOf(desk, "DELETE", `${membersPath}/${open.id}?expected=member`)).toEqual([
      ...[409, "invalid_state", { is: "invitation" }],
    ])
    await desk.must("DELETE", `${membersPath}/${member.id}?expected=member`)
    expect(await find(member.id)).toBeUndefined()
    await until("the mail", async () => (await lastMails()).includes("member_removed"))
    expect(await lastMails()).toContain(email)
    expect(user.email).toBe(email)
  })

  it("an address that is in the team or invited already is 409, in any case of its letters", async () => {
    const { email, member } = await join({ role: "viewer" })
    const { member: open } = await invite(freshEmail("open"), { role: "viewer" })
    const taken = [
      [email.toUpperCase(), member.id],
      [open.email.toUpperCase(), open.id],
      [owner.email, (await list())[0]?.id],
    ]
    for (const [address, id] of taken) {
      const { status, body } = await desk.send<ErrorBody>("POST", membersPath, {
        body: { email: address, role: "viewer" },
      })
      const { code, param, details } = body.error
      expect([status, code, param, details]).toEqual([409, "invalid_state", "email", { member_id: id }])
    }
    expect(await refusalOf(desk, "POST", `${membersPath}/${member.id}/resend`)).toEqual([
      ...[409, "invalid_state", undefined],
    ])
  })

  it("a refund limit is of support alone, and of at most what a charge can be", async () => {
    const body = { email: freshEmail("eva"), role: "finance", refund_limit: 1 }
    const wrong = [400, "validation_failed", "refund_limit"]
    expect(await refusalOf(desk, "POST", membersPath, body)).toEqual(wrong)
    for (const refund_limit of [-1, limits.amountMax + 1, 1.5]) {
      expect(await refusalOf(desk, "POST", membersPath, { ...body, role: "support", refund_limit })).toEqual(
        wrong,
      )
    }
    const { member } = await invite(body.email, { role: "support", refund_limit: limits.amountMax })
    expect(member.refund_limit).toBe(limits.amountMax)
    expect(await refusalOf(desk, "POST", membersPath, { email: freshEmail("x"), role: "owner" })).toEqual([
      ...[400, "validation_failed", "role"],
    ])
  })
})

const partition = () => {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
  const [high = "0", low = "0"] = owner.sellerId.slice(14, 16)
  return String(alphabet.indexOf(high) * 32 + alphabet.indexOf(low)).padStart(2, "0")
}

describe("an invited user with an account", () => {
  const accept = (browser: Browser, token: string) =>
    refusalOf(browser, "POST", "/v1/me/auth/team-invites/accept", { token })

  it("who has a seller of its own, or is in another team, is refused, and another user's invitation is unknown", async () => {
    const other = await makeSellerPerson(stage, "other")
    const browser = await signInWith2fa(stage, other)
    const { token } = await invite(other.email, { role: "finance" })
    const told = await browser.must<TeamInvite>("GET", `/v1/me/auth/team-invites/${token}`)
    expect(told.has_account).toBe(true)
    expect(await accept(browser, token)).toEqual([409, "invalid_state", undefined])
    const { token: foreign } = await invite(freshEmail("somebody"), { role: "finance" })
    expect(await accept(browser, foreign)).toEqual([400, "validation_failed", "token"])
    const { browser: member } = await join({ role: "viewer" })
    expect(await accept(member, token)).toEqual([400, "validation_failed", "token"])
  })

  it("a removed member has no team, accepts the invitation of another in the same session, and sees that alone", async () => {
    const { email, member, browser, user } = await join({ role: "developer" })
    await desk.must("DELETE", `${membersPath}/${member.id}`)
    expect(await refusalOf(browser, "GET", "/v1/me/seller")).toEqual([403, "permission_denied", undefined])
    const session = await browser.must<{ readonly user: User }>("GET", "/v1/me/auth/get-session")
    expect(session.user).toMatchObject({ seller_id: null, seller_role: null })

    const other = await makeSellerPerson(stage, "other")
    const otherDesk = await signInWith2fa(stage, other)
    const { token } = await invite(email, { role: "viewer" }, otherDesk)
    const accepted = await browser.must<{ readonly user: User }>("POST", "/v1/me/auth/team-invites/accept", {
      body: { token },
    })
    expect(accepted.user).toMatchObject({ id: user.id, seller_id: other.sellerId, seller_role: "viewer" })
    expect((await browser.must<{ readonly id: string }>("GET", "/v1/me/seller")).id).toBe(other.sellerId)
    expect((await list()).some((one) => one.email === email)).toBe(false)
    expect((await list(browser)).map(({ email }) => email)).toEqual([other.email, email])
  })
})

describe("a member", () => {
  it("a new role and a removal count from the next request on, and end its streams", async () => {
    const { member, browser } = await join({ role: "viewer" })
    const body = { name: "Checkout", mode: "test" }
    const makeKey = () => browser.send<ErrorBody>("POST", "/v1/me/api-keys", { body })
    expect((await makeKey()).body.error.details).toEqual({ roles: ["owner", "developer"] })
    const follow = () =>
      readyStream(makeClient(stage.service.url), "/events?mode=test", { Cookie: browser.cookieHeader() })
    const first = await follow()
    await desk.must("PATCH", `${membersPath}/${member.id}`, { body: { role: "developer" } })
    await first.waitForEnd()
    expect((await makeKey()).status).toBe(201)
    const second = await follow()
    await desk.must("DELETE", `${membersPath}/${member.id}`)
    await second.waitForEnd()
    expect((await makeKey()).status).toBe(403)
    expect((await browser.send("GET", "/events?mode=test")).status).toBe(403)
    expect(await refusalOf(desk, "DELETE", `${membersPath}/${member.id}`)).toEqual([
      ...[404, "resource_not_found", undefined],
    ])
  })

  it("who leaves is out from the next request on, its streams end, and the owner and the audit log learn of it", async () => {
    const { member, user, browser } = await join({ role: "developer" })
    const headers = { Cookie: browser.cookieHeader() }
    const stream = await readyStream(makeClient(stage.service.url), "/events?mode=test", headers)
    await browser.must("POST", `${membersPath}/leave`)
    await stream.waitForEnd()
    expect(await find(member.id)).toBeUndefined()
    expect(await refusalOf(browser, "POST", `${membersPath}/leave`)).toEqual([
      ...[403, "permission_denied", undefined],
    ])
    const mails = (await stage.redis("XREVRANGE", "mail", "+", "-", "COUNT", "1")) as unknown
    expect(JSON.stringify(mails)).toContain("member_left")
    const { data } = await desk.must<{
      readonly data: ReadonlyArray<{ readonly resource_id: string; readonly actor: { readonly id: string } }>
    }>("GET", "/v1/me/audit?action=member.left")
    expect(data.find(({ resource_id }) => resource_id === member.id)?.actor.id).toBe(user.id)
  })

  it("the owner cannot leave", async () => {
    expect(await refusalOf(desk, "POST", `${membersPath}/leave`)).toEqual([
      ...[409, "invalid_state", undefined],
    ])
    expect((await list())[0]).toMatchObject({ role: "owner", email: owner.email })
  })

  it("a limit goes with the role support, and comes back with it at 0", async () => {
    const { member } = await join({ role: "support", refund_limit: 700 })
    const path = `${membersPath}/${member.id}`
    const change = async (body: object) => {
      const { role, refund_limit } = await desk.must<Member>("PATCH", path, { body })
      return [role, refund_limit]
    }
    expect(await change({ refund_limit: 900 })).toEqual(["support", 900])
    expect(await change({ role: "support" })).toEqual(["support", 900])
    expect(await change({ role: "finance" })).toEqual(["finance", null])
    expect(await change({ role: "support" })).toEqual(["support", 0])
    expect(await change({})).toEqual(["support", 0])
  })

  it("the step-up is the acting member's own, and every act on the team needs one", async () => {
    const { member, browser } = await join({ role: "support", refund_limit: 700 })
    const wanting = makeBrowser(stage.service.url)
    await wanting.must("POST", "/v1/me/auth/sign-in/email", { body: { email: member.email, password } })
    const refund = "/v1/me/transactions/txn_01KA0000000000000000000000/refunds"
    const ask = async (by: Browser) =>
      (await by.send<ErrorBody>("POST", refund, { headers: { "Idempotency-Key": randomUUID() }, body: {} }))
        .body.error.code
    expect(await ask(wanting)).toBe("mfa_required")
    expect(await ask(browser)).toBe("resource_not_found")
    expect((await find(member.id))?.two_factor_enabled).toBe(false)
  })

  it("the owner is neither changed nor removed", async () => {
    const [first] = await list()
    const path = `${membersPath}/${first?.id}`
    for (const [method, body] of [
      ["PATCH", { role: "viewer" }],
      ["DELETE", {}],
    ] as const) {
      expect(await refusalOf(desk, method, path, body)).toEqual([409, "invalid_state", undefined])
    }
    const transfer = `${path}/transfer-ownership`
    expect(await refusalOf(desk, "POST", transfer)).toEqual([409, "invalid_state", undefined])
  })

  it("the audit log says who invited, joined, changed and removed whom", async () => {
    const { member, user } = await join({ role: "viewer" })
    await desk.must("PATCH", `${membersPath}/${member.id}`, { body: { role: "support", refund_limit: 5 } })
    await desk.must("DELETE", `${membersPath}/${member.id}`)
    const { data } = await desk.must<{
      readonly data: ReadonlyArray<{
        readonly action: string
        readonly resource_id: string
        readonly actor: { readonly id: string; readonly name: string }
        readonly details: object
      }>
    }>("GET", "/v1/me/audit?action=member.*&limit=100")
    const told = data.filter(({ resource_id }) => resource_id === member.id)
    expect(told.map(({ action, actor, details }) => [action, actor.id, details]).reverse()).toEqual([
      ["member.invited", owner.userId, { email: member.email, role: "viewer" }],
      ["member.joined", user.id, { role: "viewer" }],
      ["member.changed", owner.userId, { email: member.email, role: "support", refund_limit: 5 }],
      ["member.removed", owner.userId, { email: member.email, role: "support" }],
    ])
    expect(told.map(({ actor }) => actor.name).reverse()).toEqual(["Loja", "Bia Lima", "Loja", "Loja"])
  })
})

describe("operators", () => {
  it("operators find all users of a team, its owner first, and one of them by its address", async () => {
    const { user, email } = await join({ role: "viewer" })
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    const find = async (query: string) =>
      (
        await operator.must<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(
          "GET",
          `/v1/admin/users?${query}`,
        )
      ).data.map(({ id }) => id)
    const all = await find(`seller_id=${owner.sellerId}`)
    expect(all[0]).toBe(owner.userId)
    expect(all).toContain(user.id)
    expect(await find(`seller_id=${owner.sellerId}&email=${encodeURIComponent(email)}`)).toEqual([user.id])
    const other = await makeSellerPerson(stage, "other")
    expect(await find(`seller_id=${other.sellerId}&email=${encodeURIComponent(email)}`)).toEqual([])
  })
})

describe("the ownership", () => {
  it("goes to a member who accepted, both have their new roles at once, and only the new owner gives it back", async () => {
    const { member, browser } = await join({ role: "support", refund_limit: 5 })
    const { member: open } = await invite(freshEmail("open"), { role: "viewer" })
    const blocked = await join({ role: "finance" })
    const operator = await signInWith2fa(stage, await makeOperator(stage))
    await operator.must("POST", `/v1/admin/users/${blocked.user.id}/disable`)
    for (const { id } of [open, blocked.member]) {
      expect(await refusalOf(desk, "POST", `${membersPath}/${id}/transfer-ownership`)).toEqual([
        ...[409, "invalid_state", undefined],
      ])
    }
    const [before] = await list()
    const given = await desk.must<Member>("POST", `${membersPath}/${member.id}/transfer-ownership`, {
      body: { role: "viewer" },
    })
    expect(given).toMatchObject({ id: member.id, role: "owner", refund_limit: null })
    expect((await list(browser)).map(({ id, role }) => [id, role]).slice(0, 2)).toEqual([
      [member.id, "owner"],
      [before?.id, "viewer"],
    ])
    expect(await refusalOf(desk, "DELETE", `${membersPath}/${open.id}`)).toEqual([
      ...[403, "permission_denied", { roles: ["owner"] }],
    ])
    await browser.must("POST", `${membersPath}/${before?.id}/transfer-ownership`)
    expect((await find(member.id))?.role).toBe("finance")
    const owners = (await list()).filter(({ role }) => role === "owner")
    expect(owners.map(({ id }) => id)).toEqual([before?.id])
    const mails = JSON.stringify(await stage.redis("XRANGE", "mail", "-", "+"))
    for (const purpose of ["ownership_given", "ownership_received", "member_joined"]) {
      expect(mails).toContain(purpose)
    }
  })
})

describe("the limits of a team", () => {
  it("a team has as many members and invitations as the limit says, and one more once another is removed", async () => {
    const full = await makeSellerPerson(stage, "full")
    const browser = await signInWith2fa(stage, full)
    const add = async () => {
      await forgetRates(stage)
      return browser.send<Member & ErrorBody>("POST", membersPath, {
        body: { email: freshEmail("many"), role: "viewer" },
      })
    }
    let last = await add()
    for (let count = 2; count < limits.membersMax; count++) last = await add()
    expect(last.status).toBe(201)
    const { status, body } = await add()
    expect([status, body.error.code, body.error.details]).toEqual([
      ...[409, "invalid_state", { limit: limits.membersMax }],
    ])
    await browser.must("DELETE", `${membersPath}/${last.body.id}`)
    expect((await add()).status).toBe(201)
    expect(await list(browser)).toHaveLength(limits.membersMax)
  })

  it("invitations are mailed as often in an hour as the limit says", async () => {
    const eager = await makeSellerPerson(stage, "eager")
    const browser = await signInWith2fa(stage, eager)
    const { id } = await browser.must<Member>("POST", membersPath, {
      body: { email: freshEmail("often"), role: "viewer" },
    })
    for (let count = 1; count < limits.memberInvitesPerHour; count++) {
      await browser.must("POST", `${membersPath}/${id}/resend`)
    }
    const { status, headers } = await browser.send("POST", `${membersPath}/${id}/resend`)
    expect([status, Number(headers.get("retry-after"))]).toEqual([429, expect.any(Number)])
    expect(
      (await browser.send("POST", membersPath, { body: { email: freshEmail("x"), role: "viewer" } })).status,
    ).toBe(429)
  })

  it("two owners' changes at once both count", async () => {
    const email = [freshEmail("one"), freshEmail("two"), freshEmail("three")]
    const made = await Promise.all(
      email.map((address) =>
        desk.send<Member>("POST", membersPath, { body: { email: address, role: "viewer" } }),
      ),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
    await until("all three", async () => {
      const found = await list()
      return email.every((address) => found.some((member) => member.email === address))
    })
  })
})
