/** The mark of Corrente: two linked rings. It stands beside the name, and so has none of its own. */
export const Mark = ({ size = 24 }: { readonly size?: number }) => (
  <svg class="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
    <path class="mark-near" d="M12 8.500a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15z" />
    <path class="mark-far" d="M20 8.500a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15z" />
    <path class="mark-near" d="M19.5 16a7.5 7.5 0 0 1-7.5 7.5" />
  </svg>
)

/** Mark and name together. */
export const Wordmark = ({ size = 24 }: { readonly size?: number }) => (
  <span class="wordmark">
    <Mark size={size} />
    <span>Corrente</span>
  </span>
)
