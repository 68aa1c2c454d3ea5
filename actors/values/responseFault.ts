import { responseFaults } from "../../schema/names.ts"

/** Whether an attempt failed because its receiver answered, but not with HTTP/1.1. */
export const isResponseFault = (error: string | null): boolean =>
  responseFaults.some((fault) => fault === error)
