import type { UserStudy } from '../../../protocols/user-level-mean/user-study.ts';
import { checkInteger, checkOpenUnit, checkPositive, checkWord } from '../../check/number.ts';
import { type Grade, GradeError } from '../../core/grade.ts';
import type { AirportDayChoice } from '../airport-day-players.ts';
import { type AirportDays, HOURS, loadAirportDays } from '../airport-days.ts';
import { jsonText, print, printJson } from '../print.ts';
import { createProgress } from '../progress.ts';
import { runUsers, type UserRunPlan } from '../users/experiment.ts';
import { userPage } from '../users/page.ts';
import { delayQuestion, hoursQuestion, type Question } from '../users/question.ts';
import { formatUserRun } from '../users/text.ts';
import { checkFolder, writeTogether } from '../write-files.ts';
import { readGrade, readNumber, readNumbers, readWords } from './number-option.ts';
import { commandText, packageVersion } from './origin.ts';
import type { RunOptions } from './run-options.ts';

/** Where results go unless they go to the standard output as JSON. */
const FOLDER = 'out';

/** What is played where nothing else is asked for: ε, and how often each variant plays. */
const EPSILONS = '0.5,1,2,4,8';
const REPETITIONS = '20';

/**
 * `ldpkit run` of a protocol for players with several samples: the airport-days of the flights, their mean delay or, with
 * `--profile hours`, the hours of their departures.
 *
 * @throws TypeError or RangeError naming the option.
 */
export async function runAirportDays(study: UserStudy, options: RunOptions): Promise<void> {
  const profile = options.profile === undefined ? undefined : checkWord('profile', options.profile, ['hours']);
  const kind = profile === undefined ? 'scalar' : 'vector';
  const plan = planOf(study.protocol.name, study, options, kind);
  const players =
    options.players === undefined ? undefined : checkInteger('players', readNumber('players', options.players), 1);
  const folder = options.out ?? (options.json === true ? undefined : FOLDER);
  if (folder !== undefined) await checkFolder('out', folder);
  checkPlans(study, plan, kind);
  const progress = createProgress();
  progress.begin('reading the flights');
  const question = questionOf(await loadAirportDays(), profile, { players });
  const origin = { version: packageVersion(), command: commandText(process.argv.slice(2)) };
  const document = runUsers(study, plan, question, progress, origin);
  const json = jsonText(document);
  const files =
    folder === undefined
      ? []
      : await writeTogether('out', folder, { 'result.json': json, 'report.html': userPage(document) });
  if (options.json === true) printJson(json);
  else print([...formatUserRun(document), '', ...files.map((file) => `wrote ${file}`)]);
}

/** Not every variant that is compared exists in a deployment. */
function hasGrade(study: UserStudy, variant: string, grade: Grade, kind: 'scalar' | 'vector'): boolean {
  try {
    study.plan({ variant, epsilon: 1, delta: 1e-6, grade, ...shapeOf(kind) });
    return true;
  } catch (error) {
    if (error instanceof GradeError) return false;
    throw error;
  }
}

// Any players and samples that every variant takes.
function shapeOf(kind: 'scalar' | 'vector') {
  return { players: 2 ** 20, samples: 1, dimension: kind === 'scalar' ? 1 : HOURS };
}

/** Refuses what the variants refuse whatever the number of players, before millions of records are read. */
function checkPlans(study: UserStudy, plan: UserRunPlan, kind: 'scalar' | 'vector'): void {
  const { variants, epsilons, delta, grade } = plan;
  const shape = shapeOf(kind);
  for (const epsilon of epsilons)
    for (const variant of variants) study.plan({ variant, epsilon, delta, grade, ...shape });
}

function questionOf(days: AirportDays, profile: 'hours' | undefined, choice: AirportDayChoice): Question {
  return profile === undefined ? delayQuestion(days, choice) : hoursQuestion(days, choice);
}

function planOf(protocol: string, study: UserStudy, options: RunOptions, kind: 'scalar' | 'vector'): UserRunPlan {
  const { variants: shown, baselines } = study[kind];
  const grade = readGrade(options.grade);
  const named = options.variant === undefined ? [] : readWords('variant', options.variant);
  const known = study.variants.filter((variant) => shown.includes(variant) || !study.vector.variants.includes(variant));
  for (const word of named) checkWord('variant', word, kind === 'scalar' ? known : shown);
  const epsilons = readNumbers('epsilon', options.epsilon ?? EPSILONS);
  for (const epsilon of epsilons) checkPositive('epsilon', epsilon);
  const others = (named.length === 0 ? shown : baselines).filter((variant) => hasGrade(study, variant, grade, kind));
  return {
    protocol,
    variants: [...new Set([...named, ...others])],
    epsilons,
    delta: checkOpenUnit('delta', readNumber('delta', options.delta ?? '1e-6')),
    grade,
    repetitions: checkInteger('repetitions', readNumber('repetitions', options.repetitions ?? REPETITIONS), 1, 10_000),
    seed: options.seed ?? 'ldpkit',
  };
}
