/** Added to the style sheet of the report page: the columns of certificates hold sentences, which may be broken anywhere. */
export const CERTIFICATE_STYLE: string = `
main { max-width: 1000px; }
article + article { margin-top: 56px; border-top: 2px solid var(--rule); padding-top: 32px; }
.promise { font-size: 1.15rem; margin: 14px 0; }
.verdict { border-left: 4px solid var(--s2); padding-left: 12px; }
.verdict.open { border-left-color: var(--s1); }
.plain { padding-left: 1.2em; margin: 6px 0; max-width: 80ch; }
.plain li { margin: 4px 0; }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 20px; margin: 16px 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
article table { width: 100%; }
article th, article td { white-space: normal; padding-right: 14px; }
article td:last-child:not(.number) { min-width: 0; }
article .piece { white-space: nowrap; }
article tbody tr + tr td { border-top: 1px solid var(--rule); }
article thead th { vertical-align: bottom; }
@media print { article { break-before: page; } article:first-of-type { break-before: auto; } details { display: none; } }
`;
