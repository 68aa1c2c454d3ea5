/** The page's style; `light-dark()` switches between light and dark without a script. */
export const styles = `
:root { color-scheme: light dark;
  --back: light-dark(#fdfdfc, #16181c); --text: light-dark(#1d2125, #dfe3e8); --quiet: light-dark(#5d6670, #98a2ad);
  --line: light-dark(#e2e4e1, #2c3138); --panel: light-dark(#f4f5f2, #1d2026); --link: light-dark(#0b6b50, #5fd0a8);
  --good: light-dark(#0b6b50, #5fd0a8); --bad: light-dark(#a33a1d, #f0917a); --warm: light-dark(#85580a, #e0b25c); }
:root:has(#light:checked) { color-scheme: light } :root:has(#dark:checked) { color-scheme: dark }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem; scroll-behavior: smooth }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif }
a { color: var(--link); text-underline-offset: 2px } nav a, .act { text-decoration: none } nav a:hover { text-decoration: underline }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; font-size: .875em }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow-x: auto }
h1 { font-size: 2rem; margin: 0 0 .5rem } h2 { margin: 3rem 0 .5rem; padding-top: 1.5rem; border-top: 1px solid var(--line) }
td { overflow-wrap: anywhere }
h3 { margin: 2.2rem 0 .3rem; font-size: 1.1rem; overflow-wrap: anywhere } h4 { margin: 1.2rem 0 .3rem; font-size: .95rem }
nav { position: fixed; inset: 0 auto 0 0; width: 19rem; overflow-y: auto; padding: 1.5rem 1.2rem; border-right: 1px solid var(--line); background: var(--panel) }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--quiet); margin: 1.4rem 0 .3rem; padding: 0; border: 0 }
nav ul { list-style: none; margin: 0; padding: 0 } nav li { margin: .15rem 0; font-size: .9rem }
nav a { display: flex; gap: .5rem; align-items: baseline; color: var(--text) }
nav .method { font-size: .65rem; flex: 0 0 3.2rem } nav strong { font-size: 1.15rem }
fieldset { border: 0; padding: 0; margin: .6rem 0 0; font-size: .85rem; color: var(--quiet); display: flex; gap: .8rem }
main { margin-left: 19rem; padding: 2.5rem 3rem 6rem; max-width: 62rem }
.method { font: 600 .8rem ui-monospace, Menlo, Consolas, monospace; color: var(--good) }
.method.post, .method.put, .method.patch { color: var(--warm) } .method.delete { color: var(--bad) }
.open, .where, .limits { color: var(--quiet); font-size: .85rem } .where { display: inline-block; min-width: 3.4rem }
.type { font-size: .9rem } .required { color: var(--warm); font-size: .8rem } .meaning { display: block; color: var(--quiet); font-size: .92rem }
ul.fields { list-style: none; margin: .3rem 0; padding: 0 0 0 .9rem; border-left: 2px solid var(--line) } ul.fields li { margin: .35rem 0 }
ul.answers { list-style: none; padding: 0 } ul.answers > li { margin: .5rem 0 } ul.answers p { margin: .3rem 0 }
.status { font: 600 .85rem ui-monospace, Menlo, Consolas, monospace; color: var(--bad) } .status.s2 { color: var(--good) }
table { border-collapse: collapse; width: 100%; font-size: .92rem } th { text-align: left; color: var(--quiet); font-weight: 500 }
td, th { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
@media (max-width: 60rem) { nav { position: static; width: auto; border-right: 0; border-bottom: 1px solid var(--line) } main { margin: 0; padding: 1.5rem 1.2rem 4rem } }
@media print { nav { display: none } main { margin: 0 } }
`
