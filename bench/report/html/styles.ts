/**
 * The page's style sheet; light and dark follow the reader's system. Each contender has a colour and a dash pattern.
 */
export const styles = `
:root { color-scheme: light dark; --back: #fdfdfc; --text: #1d2125; --quiet: #5d6670; --line: #dfe2de; --panel: #f4f5f2;
  --good: #0b6b50; --bad: #a33a1d;
  --c0: #0b6b50; --c1: #8a5a00; --c2: #2a5db0; --c3: #8b3fa8; --c4: #a33a1d; --c5: #0d7383; --c6: #b02a6b; --c7: #5d6670 }
@media (prefers-color-scheme: dark) {
  :root { --back: #16181c; --text: #dfe3e8; --quiet: #9aa4af; --line: #30363d; --panel: #1d2026;
    --good: #5fd0a8; --bad: #f0917a;
    --c0: #5fd0a8; --c1: #e0b25c; --c2: #7fb0ff; --c3: #cf9be6; --c4: #f0917a; --c5: #5fc7d8; --c6: #f08fbd; --c7: #9aa4af } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 5rem; max-width: 72rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word }
h1 { margin: 0 0 .3rem; font-size: 1.8rem; line-height: 1.2 }
h2 { margin: 2.5rem 0 .5rem; padding-top: 1.2rem; border-top: 2px solid var(--line) }
h3 { margin: 1.6rem 0 .4rem; font-size: 1.05rem }
a { color: var(--good) } nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1rem; list-style: none; margin: .5rem 0; padding: 0 }
p.quiet, figcaption span, dt, th, .tick, caption { color: var(--quiet) }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1rem; margin: .4rem 0; font-size: .92rem }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.scroll { overflow-x: auto } .scroll:focus-visible { outline: 2px solid var(--good) }
table { border-collapse: collapse; font-size: .88rem; margin: .3rem 0; font-variant-numeric: tabular-nums }
caption { text-align: left; padding: .2rem 0 } th { font-weight: 500; text-align: left }
td, th { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal }
.long { min-width: 10rem } td.number, th.number { text-align: right; white-space: nowrap }
.good { color: var(--good); font-weight: 600 } .bad { color: var(--bad); font-weight: 600 }
.notice { border-left: 4px solid var(--bad); background: var(--panel); padding: .5rem .8rem; margin: .6rem 0 }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1rem }
figure { margin: 0; padding: .7rem .8rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; min-width: 0 }
figcaption { font-size: .92rem; font-weight: 600; margin-bottom: .4rem } figcaption span { font-weight: 400 }
svg { display: block; width: 100%; height: auto; max-width: 34rem } svg text { font: 11.5px system-ui, sans-serif; fill: var(--text) }
svg text.tick { font-size: 10.5px; fill: var(--quiet) }
svg .grid { stroke: var(--line) } svg .median { stroke: var(--text); stroke-width: 2 }
svg circle { opacity: .75 } svg rect.bar { opacity: .28 } svg path { fill: none; stroke-width: 1.8 }
${[0, 1, 2, 3, 4, 5, 6, 7].map((index) => `svg .c${index} { fill: var(--c${index}); stroke: none } svg path.c${index} { fill: none; stroke: var(--c${index}) }`).join("\n")}
svg .d1 { stroke-dasharray: 6 3 } svg .d2 { stroke-dasharray: 2 3 } svg .d3 { stroke-dasharray: 8 3 2 3 }
svg .d4 { stroke-dasharray: 10 4 } svg .d5 { stroke-dasharray: 4 2 } svg .d6 { stroke-dasharray: 1 2 }
.key { display: flex; flex-wrap: wrap; gap: .1rem .9rem; list-style: none; margin: .2rem 0; padding: 0; font-size: .82rem }
.key svg { display: inline-block; width: 1.8rem; height: .6rem; margin-right: .3rem }
details { font-size: .88rem } summary { cursor: pointer; color: var(--quiet) }
@media print { figure { break-inside: avoid } }
`
