// Parts of a run as an array of a real Slurm, on one node that the script makes itself:
//
//   npm run build && node test/cluster/slurm.mjs [--players 200000] [--parts 8]
//
// It needs Debian's slurm-wlm and munge, and root; it is no part of the gate. The merged document has to be that of one process, to
// the bit but for times. The last line counts the checks.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const main = fileURLToPath(new URL('../../dist/src/node/main.js', import.meta.url));
const { values: options } = parseArgs({
  options: { players: { type: 'string', default: '200000' }, parts: { type: 'string', default: '8' } },
});
const folder = mkdtempSync(join(tmpdir(), 'ldpkit-slurm-'));
const place = (name) => join(folder, name);
const [host] = hostname().split('.');
const env = { ...process.env, SLURM_CONF: place('slurm.conf') };
const say = (program, ...words) => execFileSync(program, words, { cwd: folder, env, encoding: 'utf8' }).trim();

for (const name of ['state', 'spool', 'munge']) mkdirSync(place(name), { mode: 0o700 });
writeFileSync(place('munge/key'), randomBytes(1024), { mode: 0o600 });
chmodSync(folder, 0o711);
writeFileSync(
  place('slurm.conf'),
  `ClusterName=trial
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket=${place('socket')}
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=${place('state')}
SlurmdSpoolDir=${place('spool')}
SlurmctldPidFile=${place('slurmctld.pid')}
SlurmdPidFile=${place('slurmd.pid')}
SlurmctldLogFile=${place('slurmctld.log')}
SlurmdLogFile=${place('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
`,
);
const run = `run hinge --epsilon 1,2 --variant lifted,gaussian --players ${options.players}`;
writeFileSync(
  place('parts.sh'),
  `#!/bin/sh
#SBATCH --array=1-${options.parts}
exec ${process.execPath} ${main} ${run} --threads 1 \\
  --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --out "part-$SLURM_ARRAY_TASK_ID"
`,
);

let same = false;
try {
  const munge = [
    'key-file=munge/key',
    'socket=socket',
    'pid-file=munge.pid',
    'log-file=munge/log',
    'seed-file=munge/seed',
  ];
  say('munged', '--force', ...munge.map((word) => `--${word.replace('=', `=${folder}/`)}`));
  say('slurmctld');
  say('slurmd');
  const begun = performance.now();
  const parts = say('sbatch', '--parsable', 'parts.sh');
  const merge = `${process.execPath} ${main} merge part-* --json > merged.json`;
  say('sbatch', '--parsable', `--dependency=afterok:${parts}`, '--wrap', merge);
  while (say('squeue', '--noheader') !== '') await pause(500);
  const seconds = (performance.now() - begun) / 1000;
  process.stdout.write(`--   ${options.parts} parts and their merge took ${seconds.toFixed(0)} s\n`);
  const alone = say(process.execPath, main, ...run.split(' '), '--json');
  const [one, many] = [alone, readFileSync(place('merged.json'), 'utf8')].map((text) =>
    JSON.stringify(JSON.parse(text), (key, value) => (/^(seconds|reportsPerSecond)$/.test(key) ? undefined : value)),
  );
  same = one === many;
} finally {
  for (const name of ['slurmd', 'slurmctld', 'munge']) {
    spawnSync('sh', ['-c', `kill "$(cat ${place(`${name}.pid`)})"`]);
  }
  await pause(1000);
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${same ? 'ok  ' : 'FAIL'} the merged document is that of one process, to the bit\n`);
process.stdout.write(`${Number(same)} passed, ${Number(!same)} failed\n`);
process.exit(same ? 0 : 1);
