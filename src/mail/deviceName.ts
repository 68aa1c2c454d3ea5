/** Programs by what their `User-Agent` contains; the first match counts, since most also name their ancestors. */
const programs: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:(?:Headless)?Chrome|CriOS)\//, "Chrome"],
  [/\bVersion\/\S+ .*Safari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^(?:node|undici)\b/i, "Node.js"],
  [/^python-requests\//i, "Python"],
]

/** Systems, likewise. */
const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows NT\b/, "Windows"],
  [/\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
]

const nameIn = (names: ReadonlyArray<readonly [RegExp, string]>, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** The program and the system in a `User-Agent`, in our own names; undefined where they are not known. */
export const programAndSystem = (
  userAgent: string,
): readonly [program: string | undefined, system: string | undefined] => [
  nameIn(programs, userAgent),
  nameIn(systems, userAgent),
]

/** The device in a `User-Agent`, in our own names: the header says whatever its sender wants. */
export const deviceName = (userAgent: string | undefined): string => {
  const [program, system] = programAndSystem(userAgent ?? "")
  if (program === undefined && system === undefined) return "desconhecido"
  return [program ?? "programa desconhecido", ...(system === undefined ? [] : [system])].join(", ")
}
