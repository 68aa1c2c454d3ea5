import { uiTexts } from "./texts.ts"
import "../styles/skeleton.css"

/** What the bars stand for, so that nothing moves when it arrives. */
type SkeletonProps =
  /** Lines of text in a card. */
  | { readonly lines?: number }
  /** Rows of a list: 44 px each, 64 px on a narrow screen. */
  | { readonly rows: number }
  /** Something drawn, so many pixels high. */
  | { readonly height: number }

const countOf = (props: SkeletonProps): number =>
  "rows" in props ? props.rows : "height" in props ? 1 : (props.lines ?? 3)

const kindOf = (props: SkeletonProps) => ("rows" in props ? "rows" : "height" in props ? "block" : "lines")

/** Grey bars in place of what is being read, as high as that will be. */
export const Skeleton = (props: SkeletonProps) => (
  <div
    class="skeleton"
    data-kind={kindOf(props)}
    role="status"
    aria-label={uiTexts.value.loading}
    style={"height" in props ? { height: `${props.height}px` } : undefined}
  >
    {Array.from({ length: countOf(props) }, (_, index) => (
      <span key={index} />
    ))}
  </div>
)
