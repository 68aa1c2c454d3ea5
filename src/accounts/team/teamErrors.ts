import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"

const conflict = (message: string, more: { readonly param?: string; readonly details?: object } = {}) =>
  new ApiError({
    code: "invalid_state",
    message,
    ...(more.param === undefined ? {} : { param: more.param }),
    ...(more.details === undefined ? {} : { details: { ...more.details } }),
  })

/** 404: no such member, of this team. */
export const noMember = (memberId: string): ApiError<"resource_not_found"> =>
  resourceNotFound("member", memberId)

/** 409: the address is in the team, or invited to it. */
export const isInTeam = (memberId: string): ApiError<"invalid_state"> =>
  conflict(
    "This address is already in the team or invited to it. Change its role, or send the invitation again.",
    {
      param: "email",
      details: { member_id: memberId },
    },
  )

/** 409: the team is full. */
export const teamFull = (): ApiError<"invalid_state"> =>
  conflict(
    `This team has ${limits.membersMax} members and invitations, the most a team can have. Remove one first.`,
    { details: { limit: limits.membersMax } },
  )

/** 409: the owner is neither changed nor removed. */
export const ownerStays = (): ApiError<"invalid_state"> =>
  conflict("The owner can be neither changed nor removed. Transfer ownership first.")

/** 409: a seller always has an owner. */
export const ownerCannotLeave = (): ApiError<"invalid_state"> =>
  conflict("The owner cannot leave the team. Transfer ownership first.")

/** 409: only who is invited can be sent an invitation. */
export const notInvited = (): ApiError<"invalid_state"> =>
  conflict("This member has already accepted the invitation, so there is nothing to send again.")

/** 409: what is to be removed is not what the caller takes it for. */
export const notAsExpected = (isInvited: boolean): ApiError<"invalid_state"> =>
  conflict(
    isInvited
      ? "This is an invitation that nobody has accepted, not a member. Read the team again."
      : "This invitation was accepted: it is a member now. Read the team again.",
    { details: { is: isInvited ? "invitation" : "member" } },
  )

/** 409: only who can sign in can own the account. */
export const notActive = (): ApiError<"invalid_state"> =>
  conflict(
    "Only an active member can become the owner: this one has not accepted the invitation yet, or is blocked.",
  )

/** 409: a user is in one team at most. */
export const inAnotherTeam = (): ApiError<"invalid_state"> =>
  conflict(
    "This user is already in another seller's team, and a user can be in only one. Ask that team's owner to remove you, or ask to be invited at another address.",
  )

/** 400 at `refund_limit`: only support has one. */
export const limitOfSupport = (): ApiError<"validation_failed"> =>
  validationFailed(
    "refund_limit",
    "refund_limit is only for the role support; other roles refund any amount, or nothing.",
  )

/** 400 at `token`. */
export const invitationUnusable = (param: "token" | "invite_token"): ApiError<"validation_failed"> =>
  validationFailed(param, "This invitation is unknown, expired, used or revoked. Ask for a new one.")
