import { Layer, Redacted } from "effect"
import { type NoticeSource, NoticeSources } from "../../actors/ports/acquirer.ts"
import { apiPixNotices, readNotices } from "./apiPix/notices.ts"

/** Whose webhooks are accepted: api-pix where it is the live partner, the simulator where it was given a secret. */
export const NoticeSourcesLive = (options: {
  readonly apiPix: { readonly webhookSecret: Redacted.Redacted<string> | undefined } | undefined
  readonly simulatorSecret: Redacted.Redacted<string> | undefined
}) => {
  const sources: Array<NoticeSource> = []
  if (options.apiPix !== undefined) {
    const { webhookSecret } = options.apiPix
    sources.push(apiPixNotices(webhookSecret === undefined ? undefined : Redacted.value(webhookSecret)))
  }
  if (options.simulatorSecret !== undefined) {
    sources.push({ slug: "simulator", secret: Redacted.value(options.simulatorSecret), read: readNotices })
  }
  return Layer.succeed(NoticeSources, new Map(sources.map((source) => [source.slug, source])))
}
