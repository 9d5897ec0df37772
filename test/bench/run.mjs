// Speed of the built package beside what a user would write instead.
//
//   npm run build && node test/bench/run.mjs --peers FOLDER [--only TEXT] [--alternations 5] [--python python3] [--processor]
//
// The peers are programs outside this project: each prints one line of JSON with its own median. They are run in turn
// with our case, single-threaded, so that a busy machine slows both; what counts is the ratio of medians. Each case has a
// process of its own, as the peers have, so that none finds code compiled for the one before. With --processor, both sides
// count their processor time instead of the time by the clock, so that waiting for a processor does not count. The table goes to the error
// stream and the JSON to the output. The exit code is 1 if a ratio lies below its floor.
//
// A case is a file in cases/ whose default export has
//   name            what is measured, with its unit per second
//   peer            file name of the peer, in FOLDER or in peers/ beside the cases; without one the case is only reported
//   peerField       field of the peer's JSON to compare with
//   floor           smallest acceptable ratio of speeds
//   lessIsBetter    true if run() and the field are times rather than rates
//   run()           one measurement of at least a tenth of a second; may be async
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    peers: { type: 'string', default: process.env.LDPKIT_PEERS ?? '' },
    only: { type: 'string', default: '' },
    alternations: { type: 'string', default: '5' },
    python: { type: 'string', default: 'python3' },
    processor: { type: 'boolean', default: false },
  },
});
const alternations = Number(options.alternations);
if (!Number.isInteger(alternations) || alternations < 1) fail('--alternations expected a whole number >= 1');
if (options.peers === '') fail('name the folder of the peers with --peers FOLDER, or in LDPKIT_PEERS');
if (!existsSync(fileURLToPath(new URL('../../dist/src', import.meta.url)))) fail('dist/ is missing: npm run build');

/** Runs a peer with its clock replaced. */
const BY_PROCESSOR = 'import runpy, sys, time; time.perf_counter = time.process_time; runpy.run_path(sys.argv[1])';
if (options.processor) {
  performance.now = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
}

const names = caseNames();
const results = names.length === 1 ? [await compare(names[0])] : names.map(compareApart);
process.stdout.write(`${JSON.stringify({ alternations, results }, null, 2)}\n`);
process.exit(results.some((result) => result.passed === false) ? 1 : 0);

async function compare(name) {
  const { default: it } = await import(new URL(`cases/${name}`, import.meta.url).href);
  if (it.peer !== undefined && !existsSync(placeOf(it.peer))) {
    fail(`the peer ${it.peer} of "${it.name}" is not in ${options.peers}`);
  }
  // The first round lets the compilers settle and is not counted.
  await it.run();
  const own = [];
  const peer = [];
  for (let round = 0; round < alternations; round++) {
    if (it.peer !== undefined) peer.push(askPeer(it));
    own.push(await it.run());
  }
  const result = summary(it, median(own), peer.length > 0 ? median(peer) : undefined);
  process.stderr.write(`${row(result)}\n`);
  return result;
}

/** One case, named in full, by this program in another process. */
function compareApart(name) {
  const { alternations: rounds, peers, python } = options;
  const values = ['--only', name, '--peers', peers, '--alternations', rounds, '--python', python];
  if (options.processor) values.push('--processor');
  const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...values], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // 1 is a ratio below its floor; what else went wrong has been said.
  if (status !== 0 && status !== 1) process.exit(2);
  return JSON.parse(stdout).results[0];
}

function caseNames() {
  const found = readdirSync(new URL('cases/', import.meta.url)).filter((name) => name.endsWith('.mjs'));
  const { only } = options;
  const named = found.includes(only) ? [only] : found.filter((name) => name.includes(only)).sort();
  if (named.length === 0) fail(`no case has "${only}" in its file name`);
  return named;
}

/** The path of a peer: this project's own where it has one of this name. */
function placeOf(peer) {
  const own = fileURLToPath(new URL(`peers/${peer}`, import.meta.url));
  return existsSync(own) ? own : join(options.peers, peer);
}

function askPeer(it) {
  const words = options.processor ? ['-c', BY_PROCESSOR, placeOf(it.peer)] : [placeOf(it.peer)];
  const { status, stdout, stderr, error } = spawnSync(options.python, words, {
    encoding: 'utf8',
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  if (status !== 0) fail(`${options.python} ${it.peer} failed: ${error?.message ?? stderr.trim()}`);
  const value = JSON.parse(stdout.trim().split('\n').pop())[it.peerField];
  if (!(value > 0)) fail(`${it.peer} printed no positive "${it.peerField}"`);
  return value;
}

function summary(it, own, peer) {
  if (peer === undefined) return { name: it.name, own };
  const ratio = it.lessIsBetter ? peer / own : own / peer;
  return { name: it.name, own, peer, ratio, floor: it.floor, passed: ratio >= it.floor };
}

function row({ name, own, peer, ratio, floor, passed }) {
  const line = `${name.padEnd(44)} ${own.toPrecision(4).padStart(10)}`;
  if (ratio === undefined) return line;
  const verdict = passed ? 'ok' : 'TOO SLOW';
  return `${line}  peer ${peer.toPrecision(4).padStart(10)}  ratio ${ratio.toFixed(2)} (floor ${floor})  ${verdict}`;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
