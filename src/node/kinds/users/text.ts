import { describeGuarantee } from '../../../privacy/guarantee.ts';
import { counted, rounded, wholeNumber } from '../../figures.ts';
import { aligned } from '../../print.ts';
import { headlineFirst, uncertaintyNotes } from '../uncertainty.ts';
import type { UserRunDocument } from './document.ts';

/** An error or a bias in the unit of the document. */
export function errorText(value: number, { dimension }: Pick<UserRunDocument, 'dimension'>): string {
  return rounded(value, dimension === 1 ? 2 : 4);
}

/** Root mean squared errors: a row for each ε, a column for each variant and for each answer without players. */
function errorTable(document: UserRunDocument): readonly (readonly string[])[] {
  const { runs, baselines } = document;
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const epsilons = [...new Set(runs.map(({ epsilon }) => epsilon))];
  const guesses = Object.entries(baselines).filter(([, { description }]) => description !== undefined);
  const rows = epsilons.map((epsilon) => [
    String(epsilon),
    ...variants.map((variant) => {
      const run = runs.find((one) => one.variant === variant && one.epsilon === epsilon);
      return run === undefined ? '' : errorText(run.metrics.error, document);
    }),
    ...guesses.map(([, { error }]) => errorText(error, document)),
  ]);
  return [['ε', ...variants, ...guesses.map(([name]) => name)], ...rows];
}

/** What is estimated, and what is not estimated. */
export function truthText({
  dimension,
  truth,
  records,
  players,
  leftOut,
  player,
  sample,
  unit,
}: UserRunDocument): string {
  const left = leftOut === 0 ? '' : ` (${wholeNumber(leftOut)} of them beyond the cap and left out)`;
  const head = `${counted(players, 'player')}: ${player}, with ${counted(records, sample)}${left}`;
  if (dimension > 1) return `${head}; each counts once`;
  const why = sample === 'flight' ? 'busy airports weigh more' : 'players with many weigh more';
  return (
    `${head}; each counts once, and the mean over them is ${truth.mean[0].toFixed(2)} ${unit}; over ${sample}s, where ${why}, ` +
    `it is ${truth.recordMean[0].toFixed(2)}`
  );
}

/** The document as lines of text. */
export function formatUserRun(document: UserRunDocument): string[] {
  const { protocol, title, unit, repetitions, agreed, baselines, runs, epsilon } = document;
  const guesses = Object.entries(baselines).flatMap(([name, { description }]) =>
    description === undefined ? [] : [`${name}: ${description}`],
  );
  const promises = runs
    .filter((run) => run.epsilon === epsilon)
    .map(({ variant, guarantee }) => `${variant} at ε = ${epsilon}: ${describeGuarantee(guarantee)}`);
  return [
    `${protocol}: ${title}`,
    truthText(document),
    agreed,
    `root mean squared error of ${counted(repetitions, 'run')}, ${unit}`,
    '',
    ...aligned(errorTable(document), 0),
    '',
    ...guesses,
    ...promises,
  ];
}

/** What is left open about the first run of every variant at the ε of the headline run, run by run with the headline first, and where players are too few. */
export function doubtNotes(document: UserRunDocument): readonly (readonly string[])[] {
  const { runs, players, unit } = document;
  const shown = runs.filter(({ epsilon }) => epsilon === document.epsilon);
  return headlineFirst(shown, ({ variant }) => variant === document.variant).map(({ variant, epsilon, uncertainty }) =>
    uncertaintyNotes({
      ...{ name: `${variant} at ε = ${epsilon}, first run`, who: 'players', players, uncertainty },
      figure: (value) => `${errorText(value, document)} ${unit}`,
    }),
  );
}
