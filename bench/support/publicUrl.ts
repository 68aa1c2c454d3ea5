/** PUBLIC_URL of every side, so that links to payment pages are the same on all. */
export const publicUrl = "http://localhost:3000"
