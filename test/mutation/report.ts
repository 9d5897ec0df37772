import { groupBy, identity, type NumberedMutant, type Row } from './rows.ts';

/** What became of one mutant of a row. */
export interface Finding {
  readonly mutant: NumberedMutant;
  readonly killed: boolean;
  /** Whether any test that the row names comes by the mutated place. */
  readonly reached: boolean;
  readonly by?: string | undefined;
}

/** A row and what became of its mutants. */
export interface FoundRow {
  readonly row: Row;
  readonly findings: readonly Finding[];
}

/** Figures by kind, by paper and by status, and every survivor, as Markdown. */
export function report(
  found: readonly FoundRow[],
  excepted: ReadonlyMap<string, number>,
  unusable: readonly string[],
): string {
  const flat = found.flatMap(({ row, findings }) => findings.map((finding) => ({ row, finding })));
  const lines: string[] = [];
  const table = (what: string, keyOf: (one: (typeof flat)[number]) => string): void => {
    lines.push('', `| ${what} | mutants | killed | survive | never reached | killed, % |`, '|---|---|---|---|---|---|');
    const groups = [...groupBy(flat, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, group] of [...groups, ['all', flat] as const]) {
      const killed = group.filter(({ finding }) => finding.killed).length;
      const unreached = group.filter(({ finding }) => !finding.killed && !finding.reached).length;
      const rate = ((100 * killed) / Math.max(1, group.length)).toFixed(1);
      lines.push(
        `| ${key} | ${group.length} | ${killed} | ${group.length - killed - unreached} | ${unreached} | ${rate} |`,
      );
    }
  };
  lines.push(`${found.length} rows, ${new Set(flat.map(({ finding }) => finding.mutant.id)).size} different mutants.`);
  table('kind', ({ finding }) => finding.mutant.kind);
  table('paper', ({ row }) => row.paper);
  table('status', ({ row }) => row.status);
  if (excepted.size > 0) lines.push('', '| left out | because |', '|---|---|');
  for (const [reason, count] of excepted) lines.push(`| ${count} | ${reason} |`);
  lines.push('', 'Survivors:', '');
  for (const { row, findings } of found) {
    const survivors = findings.filter(({ killed }) => !killed);
    if (survivors.length > 0) lines.push(`- ${row.paper} ${row.number} (${row.tests.join(', ') || 'no test'})`);
    for (const { mutant, reached } of survivors) {
      lines.push(`  - ${reached ? '' : 'never reached: '}${mutant.line}: ${identity(mutant)}`);
    }
  }
  for (const message of unusable) lines.push('', `Not usable: ${message.split('\n').slice(0, 3).join(' ')}`);
  return `${lines.join('\n')}\n`;
}
