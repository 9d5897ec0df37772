// A played cluster: three NATS servers, two collectors and two workers, each on a machine of its own, and what may happen to
// them. For scripts that need nats-server.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { certify } from 'ldpkit';
import { machines, seeing as seeingBy } from './machines.mjs';
import { network } from './network.mjs';
import { MAIN } from './serving.mjs';

/** Machines 0 to 2 are NATS servers, 3 and 4 collectors, 5 and 6 workers. */
export const [NODES, COLLECTORS, WORKERS] = [
  [0, 1, 2],
  [3, 4],
  [5, 6],
];

/** Ends the script where there is no nats-server. */
export function needNats() {
  if (spawnSync('nats-server', ['--version'], { stdio: 'ignore' }).status === 0) return;
  process.stdout.write('FAIL nats-server is not installed (Debian: apt-get install nats-server)\n0 passed, 1 failed\n');
  process.exit(1);
}

/**
 * The cluster of a plan. `collecting` are further words of its collectors, `partitions` the number of its streams, `uniform`
 * gives numbers from 0 to 1, and `disk` is the size of a disk of its own for the first server, such as `64m`.
 */
export async function playedCluster(
  protocol,
  parameters,
  { collecting, partitions, uniform, loopback, disk, patient = true },
) {
  const { digest } = parameters;
  const below = (count) => Math.floor(count * uniform());
  const folder = mkdtempSync(join(tmpdir(), 'ldpkit-cluster-'));
  const plan = join(folder, 'plan.json');
  writeFileSync(plan, JSON.stringify(certify(protocol, parameters)));
  const net = await network(7, loopback);
  const servers = NODES.map((at) => `nats://${net.host(at)}:${net.port(at, 4222)}`).join(',');
  const addresses = COLLECTORS.map((at) => `http://${net.host(at)}:${net.port(at, 8080)}/`);
  const storeOf = (at) => join(folder, `node${at}`);
  mkdirSync(storeOf(0));
  // The disk of the first server may be small.
  const small =
    disk !== undefined &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${disk}`, 'tmpfs', storeOf(0)], { stdio: 'ignore' }).status === 0;

  // Also where the script is told to end; a second time does nothing.
  const unmount = () => spawnSync('umount', ['-l', storeOf(0)], { stdio: 'ignore' });
  if (small) process.once('exit', unmount);

  function wordsOf(at) {
    if (NODES.includes(at)) {
      const routes = NODES.map((one) => `nats://${net.host(one)}:${net.port(one, 6222)}`).join(',');
      const listen = ['-n', `node${at}`, '-a', net.host(at), '-p', `${net.port(at, 4222)}`];
      const cluster = ['-cluster', `nats://${net.host(at)}:${net.port(at, 6222)}`, '-cluster_name', 'played'];
      return ['nats-server', ...listen, ...cluster, '-routes', routes, '-js', '-sd', storeOf(at)];
    }
    const words = [process.execPath, MAIN];
    const part = partitions === 1 ? [] : ['--part', `${at - 4}/2`];
    if (WORKERS.includes(at)) return [...words, 'fold', plan, '--cluster', servers, ...part];
    const listen = ['--host', net.host(at), '--port', `${net.port(at, 8080)}`];
    const journal = ['--folder', join(folder, `journal${at}`)];
    return [...words, 'serve', plan, '--cluster', servers, ...journal, ...listen, '--rate', '0', ...collecting];
  }

  const { children, saidBy, start, end, restart, stop } = machines(wordsOf, net, folder, () => 500 + 1500 * uniform());
  const seeing = (does) => seeingBy(servers, does);
  const stream = (partition) => `ldpkit-${digest}-${partition}`;
  const states = `ldpkit-${digest}`;

  /** Flips a bit of the tally that is kept of a partition, and kills its worker: the next one has to notice. */
  async function damage() {
    const partition = below(partitions);
    const subject = `ldpkit.${digest}.tally.${partition}`;
    await seeing(async (manager, client) => {
      const found = await manager.streams.getMessage(states, { last_by_subj: subject });
      if (found === null) throw new Error('no tally to damage yet');
      const bytes = found.data.slice();
      bytes[bytes.length >> 1] ^= 4;
      await end(WORKERS[partition % 2], 'SIGKILL');
      await client.publish(subject, bytes);
    });
    start(WORKERS[partition % 2]);
    return `a flipped bit in the tally of partition ${partition}, and its worker killed`;
  }

  /**
   * Waits until all servers have what they agreed on. Those of version 2.9 can lose reports where everything is killed while one of
   * them catches up: docs/scale.md.
   */
  async function caughtUp() {
    for (let attempt = 0; attempt < 120; attempt++) {
      const current = await seeing(async (manager) => {
        const all = Array.from({ length: partitions }, (_, at) => manager.streams.info(stream(at)));
        return (await Promise.all(all)).every(({ cluster: { leader, replicas = [] } }) => {
          return leader !== undefined && replicas.length === 2 && replicas.every((one) => one.current);
        });
      }).catch(() => false);
      if (current) return;
      await pause(500);
    }
    process.stdout.write('--   the servers did not catch up in a minute\n');
  }

  const played = {
    async leader() {
      const name = await seeing(async (manager) => {
        const { leader } = (await manager.streams.info(stream(below(partitions)))).cluster;
        if (leader === undefined) throw new Error('no leader yet');
        return leader;
      });
      await restart(Number(name.slice(-1)));
      return `SIGKILL of ${name}, which led a stream`;
    },
    async collector() {
      const at = COLLECTORS[below(2)];
      await restart(at);
      return `SIGKILL of collector ${at - 2}`;
    },
    async worker() {
      const at = WORKERS[below(2)];
      await restart(at);
      return `SIGKILL of worker ${at - 4}`;
    },
    damage,
    async cut() {
      const at = NODES[below(3)];
      net.cut(at, children[at]);
      await pause(10_000);
      net.join(at, children[at]);
      return `node${at} cut from the network for 10 s`;
    },
    async slow() {
      const at = WORKERS[below(2)];
      children[at]?.kill('SIGSTOP');
      await pause(3000);
      children[at]?.kill('SIGCONT');
      return `worker ${at - 4} stood still for 3 s`;
    },
    // A server without room leaves the cluster, and comes back when it is started with room.
    ...(small && {
      async disk() {
        const ballast = join(storeOf(0), 'ballast');
        spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stdio: 'ignore' });
        await pause(4000);
        rmSync(ballast);
        await restart(0);
        return 'the disk of node0 full for 4 s, and a new start of it';
      },
    }),
    // Servers do not wait for their disks: what they have acknowledged in the last seconds may not be there when power comes back.
    async power() {
      const copyOf = (at) => join(folder, `copy${at}`);
      await Promise.all(NODES.map((at) => end(at, 'SIGKILL')));
      for (const at of NODES) cpSync(storeOf(at), copyOf(at), { recursive: true });
      for (const at of NODES) start(at);
      const accepted = () =>
        seeing(async (manager) => {
          const all = Array.from({ length: partitions }, (_, at) => manager.streams.info(stream(at)));
          return (await Promise.all(all)).reduce((sum, { state }) => sum + state.messages, 0);
        });
      // What they still read of their logs when they start was accepted before: it counts as nothing new.
      await caughtUp();
      const before = await accepted();
      // More than can be on their way at once, six batches of 50: the others have receipts.
      while ((await accepted()) < before + 600) await pause(200);
      await Promise.all(NODES.map((at) => end(at, 'SIGKILL')));
      for (const at of NODES) {
        // The folder itself may be a mounted disk.
        for (const name of readdirSync(storeOf(at))) rmSync(join(storeOf(at), name), { recursive: true });
        cpSync(copyOf(at), storeOf(at), { recursive: true });
        rmSync(copyOf(at), { recursive: true });
        start(at);
      }
      return 'SIGKILL of all servers, which forgot their last seconds';
    },
    async everything() {
      if (patient) await caughtUp();
      await restart(...NODES, ...COLLECTORS, ...WORKERS);
      return 'SIGKILL of everything, and a new start';
    },
  };

  /**
   * Plays so many faults, each kind once before any is played again; the kinds in their order. `due` says whether the time of a
   * fault has come.
   */
  async function play(faults, kinds = Object.keys(played), due = () => true) {
    const begun = performance.now();
    const order = [];
    for (let at = 0; at < faults; at++) {
      if (order.length === at) order.push(...kinds.map((fault) => [uniform(), fault]).sort(([a], [b]) => a - b));
      await pause(200 + 1300 * uniform());
      while (!due(at)) await pause(100);
      const done = await played[order[at][1]]();
      process.stdout.write(`--   ${((performance.now() - begun) / 1000).toFixed(0)} s: ${done}\n`);
    }
    return order.slice(0, faults).map(([, fault]) => fault);
  }

  const get = async (address, path) => {
    const answer = await fetch(`${address}plans/${digest}/${path}`, { signal: AbortSignal.timeout(8000) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.text();
  };
  const statusOf = (address) => get(address, 'status').then(JSON.parse, () => undefined);

  /** Asks a collector until its status is as it should be; the last status. */
  async function until(address, holds) {
    let status;
    for (let attempt = 0; attempt < 600; attempt++) {
      status = await statusOf(address);
      if (status !== undefined && holds(status)) break;
      await pause(500);
    }
    return status;
  }

  /** Starts all machines, and waits for the collectors. */
  async function startAll() {
    process.stdout.write(`--   ${net.kind}\n`);
    if (disk !== undefined && !small)
      process.stdout.write('--   full disk: not played, since this user may not mount a small one\n');
    for (const at of [...NODES, ...COLLECTORS, ...WORKERS]) start(at);
    for (const address of addresses) await until(address, () => true);
  }

  async function stopAll(keep) {
    await stop();
    if (small) unmount();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }

  return {
    ...{ folder, plan, servers, addresses, states, small, played },
    saidBy,
    seeing,
    stream,
    play,
    get,
    until,
    startAll,
    stopAll,
  };
}
