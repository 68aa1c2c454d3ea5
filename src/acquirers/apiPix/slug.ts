/** Names this acquirer in settings, paths and records. */
export const apiPixSlug = "api-pix"
