/** Each icon as one path in a box of 24 × 24, drawn with a line of 2. */
const paths = {
  alert: "M12 4 2.5 20h19zM12 10v4M12 17v.01",
  arrowDown: "M12 4v16M6 14l6 6 6-6",
  arrowRight: "M4 12h16M14 6l6 6-6 6",
  arrowUp: "M12 20V4M6 10l6-6 6 6",
  back: "M15 5l-7 7 7 7",
  balance: "M4 6.5A2.5 2.5 0 0 1 6.5 4H17v4M4 6.500A2.5 2.5 0 0 0 6.5 9H20v11H6a2 2 0 0 1-2-2zM16 14.500v.01",
  charges: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  check: "M4.5 12.500l5 5 10-11",
  close: "M6 6l12 12M18 6 6 18",
  closings: "M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zM5 18a2 2 0 0 1 2-2h12M9 8h6",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.500V12l3 2",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  desk: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  down: "M6 9l6 6 6-6",
  events: "M3 12h4l3-8 4 16 3-8h4",
  health: "M12 20S3.5 15 3.5 9A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 8.5 2c0 6-8.5 11-8.5 11z",
  home: "M3 11.5 12 4l9 7.500M6 9.500V20h12V9.500M10 20v-6h4v6",
  inbox: "M4 13 6.5 5h11L20 13v6H4zM4 13h5a3 3 0 0 0 6 0h5",
  keys: "M8 10.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11.5 12 20 3.500M16.5 7l3 3",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01",
  mail: "M3.5 5.500h17v13h-17zM3.5 7l8.5 6 8.5-6",
  download: "M12 4v11M7.5 10.500 12 15l4.5-4.500M4 19h16",
  link: "M10 14a4 4 0 0 0 5.7 0l3.1-3.100a4 4 0 0 0-5.7-5.700L12 6.300M14 10a4 4 0 0 0-5.7 0l-3.1 3.100a4 4 0 0 0 5.7 5.700L12 17.700",
  menu: "M4 6h16M4 12h16M4 18h16",
  more: "M4.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M11.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0M18.5 12a.5.5 0 1 0 1 0a.5.5 0 1 0-1 0",
  pause: "M8.5 5v14M15.5 5v14",
  people:
    "M9 4.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19.500a6.5 6.5 0 0 1 13 0M16 5a3.500 3.500 0 0 1 0 6.500M18 14a6.500 6.500 0 0 1 3.500 5.500",
  play: "M7 4.500v15l12-7.500z",
  plus: "M12 5v14M5 12h14",
  phone:
    "M4 20l1.2-4.200A8 8 0 1 1 8.2 18.800zM9 9.200c0 3 2.8 5.800 5.8 5.800l1-1.600-2-1-1 .9a5 5 0 0 1-2.300-2.300l.9-1-1-2z",
  refund: "M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-2",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20.5 20.5",
  sellers:
    "M4 9.5 5.5 4h13L20 9.500a2.7 2.7 0 0 1-5.3 0 2.7 2.7 0 0 1-5.4 0 2.7 2.7 0 0 1-5.3 0zM5.5 12v8h13v-8",
  select: "M4 4h16v16H4zM8 12l3 3 5-6",
  settings:
    "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 14.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  up: "M6 15l6-6 6 6",
  webhooks:
    "M18 3.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM6 9.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM18 15.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8.3 10.900l7.4-3.800M8.3 13.100l7.4 3.8",
  withdrawals: "M12 15V4M7.5 8.5 12 4l4.5 4.500M4 14v6h16v-6",
} as const

export type IconName = keyof typeof paths

/** The names of all icons. */
export const iconNames = Object.keys(paths) as ReadonlyArray<IconName>

/** A drawing beside words, or in a button that has a name: those who do not see it miss nothing. 18 px wide. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)
