/** The name of this acquirer in settings, paths and events (decisions 3). */
export const apiPixSlug = "api-pix"
