// Where the machines of a played cluster are: network namespaces on a bridge of their own, where this user may make them;
// otherwise ports of loopback.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

const run = (...words) => spawnSync(words[0], words.slice(1), { stdio: 'ignore' }).status === 0;

/**
 * Places for so many machines. `cut` and `join` take one from the network and back: its link goes down, or, on loopback, the
 * process stands still (SIGSTOP), which to the others is the same.
 */
export async function network(count, onLoopback) {
  return (onLoopback ? undefined : namespaces(count)) ?? loopback(count);
}

function namespaces(count) {
  const tag = `lk${process.pid % 10_000}`;
  const bridge = `${tag}b`;
  const address = (at) => `10.213.${process.pid % 250}.${at + 1}`;
  const close = () => {
    for (let at = 0; at < count; at++) run('ip', 'netns', 'del', `${tag}n${at}`);
    run('ip', 'link', 'del', bridge);
  };
  const made =
    run('ip', 'link', 'add', bridge, 'type', 'bridge') &&
    run('ip', 'addr', 'add', `10.213.${process.pid % 250}.254/24`, 'dev', bridge) &&
    run('ip', 'link', 'set', bridge, 'up') &&
    Array.from({ length: count }, (_, at) => {
      const [space, here, there] = [`${tag}n${at}`, `${tag}v${at}`, `${tag}w${at}`];
      const inside = ['ip', 'netns', 'exec', space, 'ip'];
      return (
        run('ip', 'netns', 'add', space) &&
        run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there) &&
        run('ip', 'link', 'set', there, 'netns', space) &&
        run('ip', 'link', 'set', here, 'master', bridge) &&
        run('ip', 'link', 'set', here, 'up') &&
        run(...inside, 'link', 'set', 'lo', 'up') &&
        run(...inside, 'addr', 'add', `${address(at)}/24`, 'dev', there) &&
        run(...inside, 'link', 'set', there, 'up')
      );
    }).every(Boolean);
  if (!made) {
    close();
    return undefined;
  }
  const link = (at, state) => run('ip', 'link', 'set', `${tag}v${at}`, state);
  return {
    kind: 'network namespaces; a cut machine has its link down',
    host: address,
    port: (_, port) => port,
    prefix: (at) => ['ip', 'netns', 'exec', `${tag}n${at}`],
    cut: (at) => link(at, 'down'),
    join: (at) => link(at, 'up'),
    close,
  };
}

async function loopback(count) {
  // Ports that are free now; each machine has two.
  const free = () =>
    new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
    });
  const ports = [];
  for (let at = 0; at < 2 * count; at++) ports.push(await free());
  return {
    kind: 'ports of loopback; a cut machine stands still (SIGSTOP)',
    host: () => '127.0.0.1',
    port: (at, port) => ports[2 * at + (port === 6222 ? 1 : 0)],
    prefix: () => [],
    cut: (_, child) => child.kill('SIGSTOP'),
    join: (_, child) => child.kill('SIGCONT'),
    close() {},
  };
}
