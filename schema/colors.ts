const channels = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

/** The relative luminance of a colour `#rrggbb` (WCAG 2.2), from 0 to 1. */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(color).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of a colour with white, from 1 to 21 (WCAG 2.2, contrast ratio). */
export const contrastWithWhite = (color: string): number => 1.05 / (luminanceOf(color) + 0.05)

/** Black or white, whichever is read better on a colour: with 4.5 to 1 at least. */
export const inkOn = (color: string): "#000000" | "#ffffff" => {
  const luminance = luminanceOf(color)
  return (luminance + 0.05) / 0.05 >= contrastWithWhite(color) ? "#000000" : "#ffffff"
}

/** The colour itself, or the lightest darker shade of it that has this contrast with white, which is at most 21. */
export const darkenedTo = (contrast: number, color: string): string => {
  const shade = (percent: number) =>
    `#${channels(color)
      .map((part) =>
        Math.floor((part * 255 * percent) / 100)
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")}`
  for (let percent = 100; percent > 0; percent--) {
    if (contrastWithWhite(shade(percent)) >= contrast) return shade(percent)
  }
  return "#000000"
}
