import { simulate } from '../../../simulation/runner.ts';
import type { SurveyQuantity, SurveyStudy } from '../../../simulation/survey-study.ts';
import type { RunShown } from '../../commands/answer.ts';
import { knownVariants, type RunOptions } from '../../commands/options.ts';
import { origin } from '../../origin.ts';
import { createProgress } from '../../progress.ts';
import { closestToOne } from '../run.ts';
import { budgetOf } from './budget.ts';
import type { SurveyDocument, SurveyMetrics, SurveyRun } from './document.ts';
import { loadPlayers, questionOf, surveySource, titleOf } from './question.ts';
import { formatSurvey } from './text.ts';
import { surveyVerdict } from './verdict.ts';

/** The options of such a run. */
interface SurveyRunOptions extends Omit<RunOptions, 'delta'> {
  readonly epsilon: readonly number[];
  readonly confidence: number;
  readonly repetitions: number;
}

/**
 * `ldpkit run` of a survey: the players of a file or the flights, every ε and variant, and the same numbers in the
 * clear beside the estimates.
 *
 * @throws TypeError or RangeError naming the option, the file, the column or the row.
 */
export async function runSurvey(study: SurveyStudy, options: SurveyRunOptions): Promise<RunShown> {
  const { epsilon: epsilons, grade, confidence, repetitions, seed } = options;
  const { protocol } = study;
  const named = options.variant === undefined ? [undefined] : knownVariants(options.variant, study.variants);
  const source = await surveySource(study, options);
  const question = questionOf(source.schema);
  // All parameters are made before anything is read: what can be refused is refused at once.
  const made = epsilons.flatMap((epsilon) =>
    named.map((variant) => protocol.make({ ...study.request(question), ...budgetOf(epsilon, grade, variant) })),
  );
  const population = await loadPlayers(source, options);
  const { players } = population;
  const data = { players, datum: (index: number) => study.datum(population.datum(index)) };
  const truth = study.truth(question, population);
  const progress = createProgress();
  const runs = made.flatMap((parameters, index) => {
    const { variant } = parameters;
    const epsilon = epsilons[Math.floor(index / named.length)];
    return Array.from({ length: repetitions }, (_, repetition): SurveyRun => {
      const start = performance.now();
      progress.begin(`playing ${protocol.name}, ${variant}, ε = ${epsilon}`, players);
      const coins = `${seed} ${variant} ${epsilon} ${repetition}`;
      const tally = simulate(protocol, parameters, data, { seed: coins, onProgress: progress.advance });
      const quantities = study.quantities(question, protocol.server.estimate(parameters, tally, { confidence }));
      return {
        ...{ variant, epsilon, repetition, quantities },
        guarantee: protocol.theory.guarantee(parameters),
        metrics: metricsOf(quantities, truth),
        seconds: (performance.now() - start) / 1000,
      };
    });
  });
  progress.end();
  const closest = closestToOne(epsilons);
  const { variant, epsilon, guarantee, quantities, metrics } = runs.find((run) => run.epsilon === closest)!;
  const document: SurveyDocument = {
    protocol: protocol.name,
    ...{ variant, epsilon, players, grade, repetitions, seed },
    ...{ title: titleOf(source), summary: study.summary, confidence, guarantee },
    ...{ estimate: { quantities }, metrics, truth, runs },
    certificates: made.map((parameters, index) => ({
      epsilon: epsilons[Math.floor(index / named.length)],
      certificate: protocol.theory.certificate(parameters),
    })),
    ...origin(),
  };
  return {
    document,
    verdict: surveyVerdict(document),
    lines: formatSurvey(document),
    page: async () => (await import('./page.ts')).surveyPage(document),
  };
}

function metricsOf(quantities: readonly SurveyQuantity[], truth: readonly number[]): SurveyMetrics {
  const first = quantities.filter(({ group }) => group === quantities[0].group);
  const squares = first.reduce((sum, { value }, i) => sum + (value - truth[i]) ** 2, 0);
  return {
    error: Math.sqrt(squares / first.length),
    widest: Math.max(...first.map(({ lower, upper }) => upper - lower)),
    held: quantities.filter(({ lower, upper }, i) => lower <= truth[i] && truth[i] <= upper).length,
  };
}
