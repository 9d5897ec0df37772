import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, type FoundRow, report } from './report.ts';
import { identity, inRow, type NumberedMutant, planRows, type Row } from './rows.ts';
import { tryMutants } from './study.ts';

/** Quick tests before slow ones: what a quick one kills a slow one need not see. */
const FOLDERS: readonly string[] = ['unit', 'errata', 'theory', 'protocols', 'validations', 'vectors'];

// What is worked out by hand takes milliseconds.
const rankOf = (test: string): number => (test.endsWith('-by-hand') ? -1 : FOLDERS.indexOf(test.split('/')[0]));

/** A test's file, by the name that a row has for it: long tests are named without their ending. */
function fileOf(root: string, test: string): string {
  const path = join(root, 'test', `${test}.test.ts`);
  return existsSync(path) ? path : join(root, 'test', `${test}.long.test.ts`);
}

/** The names of the quick tests with one of these parts in their path. */
function quickTests(root: string, parts: readonly string[]): readonly string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts') && !path.includes('node_modules'))
    .map((path) => path.replaceAll('\\', '/').slice(0, -'.test.ts'.length))
    .filter((path) => parts.some((part) => path.includes(part)))
    .sort();
}

type Earlier = ReadonlyMap<string, Omit<Finding, 'mutant'>>;

/** What an earlier run has found, by row and mutant. */
function earlierFindings(path: string): Earlier {
  const { rows } = JSON.parse(readFileSync(path, 'utf8')) as { rows: (Row & { findings: Finding[] })[] };
  return new Map(
    rows.flatMap((row) => row.findings.map(({ mutant, ...found }) => [inRow(row, identity(mutant)), found] as const)),
  );
}

// A mutant that an earlier run has killed is taken as killed: tests that are added do not bring it back to life.
function startOf(row: Row, mutant: NumberedMutant, earlier: Earlier | undefined): Finding {
  const found = earlier?.get(inRow(row, identity(mutant)));
  return found?.killed ? { ...found, mutant } : { mutant, killed: false, reached: false };
}

/**
 * The command: mutants of the rows that are named (all where none is), each against the tests that its row names; or of whole files,
 * against all quick tests whose paths have a part that is given.
 */
export async function main(root: string, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      every: { type: 'boolean', default: false },
      most: { type: 'string', default: '6' },
      seed: { type: 'string', default: 'ldpkit' },
      output: { type: 'string' },
      list: { type: 'boolean', default: false },
      again: { type: 'string' },
      tests: { type: 'string', default: '' },
      files: { type: 'string' },
    },
  });
  const earlier = values.again === undefined ? undefined : earlierFindings(values.again);
  const parts = values.tests.split(',');
  const files =
    values.files === undefined ? undefined : { paths: values.files.split(','), tests: quickTests(root, parts) };
  const most = values.every ? Number.POSITIVE_INFINITY : Number(values.most);
  const { rows, woven, excepted } = planRows({
    root,
    only: positionals,
    most,
    seed: values.seed,
    ...(earlier === undefined ? {} : { chosen: [...earlier.keys()] }),
    ...(files === undefined ? {} : { files }),
  });
  if (values.list) {
    for (const row of rows) {
      process.stdout.write(`${row.paper} ${row.number}: ${row.mutants.length} of ${row.all}\n`);
      for (const one of row.mutants) process.stdout.write(`  ${one.kind} ${identity(one)}\n`);
    }
    return;
  }
  const texts = Object.fromEntries([...woven].map(([file, text]) => [join(root, file), text]));
  const findings = new Map<Row, Map<number, Finding>>(
    rows.map((row) => [row, new Map(row.mutants.map((mutant) => [mutant.id, startOf(row, mutant, earlier)]))]),
  );
  const tests = [...new Set(rows.flatMap((row) => row.tests))]
    .filter((test) => parts.some((part) => test.includes(part)))
    .sort((a, b) => rankOf(a) - rankOf(b));
  const unusable: string[] = [];
  const found = (): readonly FoundRow[] => rows.map((row) => ({ row, findings: [...findings.get(row)!.values()] }));
  for (const [at, test] of tests.entries()) {
    const naming = rows.filter((row) => row.tests.includes(test));
    const open = naming.flatMap((row) => [...findings.get(row)!.values()].filter(({ killed }) => !killed));
    const mutants = [...new Set(open.map(({ mutant }) => mutant.id))];
    if (mutants.length === 0) continue;
    const start = process.hrtime.bigint();
    let killed = 0;
    try {
      const outcomes = await tryMutants({ root, test: fileOf(root, test), woven: texts, mutants });
      for (const outcome of outcomes) {
        if (outcome.killed) killed++;
        for (const row of naming) {
          const finding = findings.get(row)!.get(outcome.mutant);
          if (finding === undefined || finding.killed) continue;
          const reached = finding.reached || outcome.passed > 0 || outcome.killed;
          const by = outcome.killed ? `${test}: ${outcome.by}` : undefined;
          findings.get(row)!.set(outcome.mutant, { ...finding, killed: outcome.killed, reached, by });
        }
      }
    } catch (error) {
      unusable.push((error as Error).message);
    }
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    process.stderr.write(
      `${at + 1}/${tests.length} ${test}: ${killed} of ${mutants.length}, ${seconds.toFixed(0)} s\n`,
    );
    // As it goes on, so that a run that is stopped leaves what it has found.
    if (values.output !== undefined) {
      const plain = found().map(({ row, findings: own }) => ({ ...row, mutants: undefined, findings: own }));
      writeFileSync(values.output, `${JSON.stringify({ seed: values.seed, rows: plain, unusable }, null, 1)}\n`);
    }
  }
  process.stdout.write(report(found(), excepted, unusable));
}
