import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Reproduction, Scale } from '../experiment/experiment.ts';
import { type CurveFigure, type FigureCurve, linearFigure, logFigure, plainCurve } from '../experiment/figure.ts';
import { column } from '../experiment/statistics.ts';
import { DIMENSION, RECORDS, type WAYS } from './work.ts';
import type { ScalePoint, ScaleTask } from './worker.ts';

/** What is measured, in this order: each in a process of its own, so that memory is that of one. */
const TASKS: { readonly [scale in Scale]: readonly ScaleTask[] } = {
  quick: [...tasksOf('reports', [1e5, 3e5, 1e6]), ...tasksOf('sums', [1e5, 1e6, 1e7]), ...tasksOf('reports', [1e6], 2)],
  full: [
    ...tasksOf('reports', [1e5, 1e6, 1e7, 1e8]),
    ...tasksOf('sums', [1e5, 1e6, 1e7, 1e8, 1e9]),
    ...tasksOf('reports', [1e7], 2),
  ],
};

function tasksOf(way: keyof typeof WAYS, players: readonly number[], threads: number = 1): readonly ScaleTask[] {
  return players.map((count) => ({ way, players: count, threads }));
}

const NAMES = { reports: 'reports, made and tallied', sums: 'law of sums' } as const;

/** How time and memory grow with the players: the measured points, a table of them and two figures. */
export interface ScaleDocument {
  /** Processors, and how many programs wanted one when it began and when it ended. */
  readonly machine: { readonly processors: number; readonly loadBefore: number; readonly loadAfter: number };
  readonly points: readonly ScalePoint[];
  readonly table: Reproduction;
  readonly figures: readonly CurveFigure[];
}

/** Measures everything of a scale, one after the other; `onPoint` is called after each. */
export function measureScale(scale: Scale, onPoint: (done: number) => void): ScaleDocument {
  const [loadBefore] = loadavg();
  const tasks = TASKS[scale];
  const points = tasks.map((task, i) => {
    const point = measureApart(task);
    onPoint(i + 1);
    return point;
  });
  const [loadAfter] = loadavg();
  const machine = { processors: cpus().length, loadBefore, loadAfter };
  return { machine, points, table: tableOf(points), figures: figuresOf(points) };
}

function measureApart(task: ScaleTask): ScalePoint {
  const program = fileURLToPath(new URL('./worker.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, JSON.stringify(task)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${NAMES[task.way]} of ${task.players} players: ${stderr}`);
  return JSON.parse(stdout) as ScalePoint;
}

/** The points as rows; two threads are compared with one by the clock on the wall, where that was measured too. */
export function tableOf(points: readonly ScalePoint[]): Reproduction {
  const rows = points.map(({ way, players, threads, seconds, processorSeconds, memory }) => {
    const one = points.find((other) => other.way === way && other.players === players && other.threads === 1)!;
    return [
      NAMES[way],
      String(players),
      String(threads),
      seconds.toFixed(2),
      processorSeconds.toFixed(2),
      ((1e9 * processorSeconds) / players).toFixed(0),
      (memory / 1e6).toFixed(0),
      threads === 1 ? '' : (one.seconds / seconds).toFixed(2),
    ];
  });
  return {
    title: `Time and memory by players: hinge, lifted, p = ${DIMENSION}, ε = 1`,
    columns: ['way', 'players', 'threads', 'seconds', 'processor s', 'ns a player', 'peak MB', 'against one thread'],
    rows,
    notes: [
      `Players hold ${RECORDS} records; more players hold the same ones, and each draws for itself. Times are without the making of the`,
      'records and without their moments, which the law of sums needs once; memory is that of the whole process.',
    ],
  };
}

/** Processor time and memory against the players. */
export function figuresOf(points: readonly ScalePoint[]): readonly CurveFigure[] {
  const curves = (y: (point: ScalePoint) => number): readonly FigureCurve[] =>
    (['reports', 'sums'] as const).map((way, style) => {
      const own = points.filter((point) => point.way === way && point.threads === 1);
      return plainCurve(NAMES[way], style, column(own, 'players'), own.map(y));
    });
  return [
    logFigure({
      name: 'scale-time',
      title: 'Processor time by players',
      x: 'players',
      y: 'seconds of one processor',
      curves: curves(({ processorSeconds }) => processorSeconds),
    }),
    linearFigure({
      name: 'scale-memory',
      title: 'Peak memory by players',
      x: 'players',
      y: 'MB',
      logarithmic: 'x',
      curves: curves(({ memory }) => memory / 1e6),
    }),
  ];
}
