// The processes of a played cluster: each on a machine of the network, killed and started again.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** Processes by the number of their machine; `wordsOf` is what one is started with, `wait` how long one is gone, in ms. */
export function machines(wordsOf, net, folder, wait) {
  const children = [];
  let over = false;

  /** What a machine says is in a file of the folder. */
  const saidBy = (at) => join(folder, `machine${at}.txt`);

  function start(at) {
    const [program, ...words] = [...net.prefix(at), ...wordsOf(at)];
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => appendFileSync(saidBy(at), text));
    children[at] = child;
    // Only a kill ends a machine: one that ends by itself, as a collector before a cluster has a leader, starts again.
    child.once('exit', (_, signal) => {
      if (signal === null && children[at] === child && !over) setTimeout(() => start(at), 500);
    });
  }

  async function end(at, signal) {
    const child = children[at];
    children[at] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async function restart(...places) {
    await Promise.all(places.map((at) => end(at, 'SIGKILL')));
    await pause(wait());
    for (const at of places) start(at);
  }

  /** Ends everything, the network too. */
  async function stop() {
    over = true;
    await Promise.all([...children.keys()].map((at) => end(at, 'SIGKILL')));
    net.close();
  }

  // Whoever is told to end leaves no machine behind.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().finally(() => process.exit(1)));
  return { children, saidBy, start, end, restart, stop };
}

/** A connection of the player, who sees the streams as an operator does. */
export async function seeing(servers, does) {
  for (let attempt = 1; ; attempt++) {
    let connection;
    try {
      connection = await connect({ servers: servers.replaceAll('nats://', '').split(','), timeout: 2000 });
      return await does(await jetstreamManager(connection, { timeout: 3000 }), jetstream(connection));
    } catch (error) {
      if (attempt === 60) throw error;
      await pause(500);
    } finally {
      await connection?.close();
    }
  }
}

/** The messages of a stream as the server has them that leads it: with a reader of its own, made until it is there. */
export async function* messagesOf(manager, client, stream) {
  const { cluster, state } = await manager.streams.info(stream);
  if (state.messages === 0) return;
  for (;;) {
    const settings = {
      ack_policy: 'none',
      deliver_policy: 'all',
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: 30e9,
    };
    const made = await manager.consumers.add(stream, settings);
    if (made.cluster?.leader !== cluster?.leader) {
      await manager.consumers.delete(stream, made.name);
      continue;
    }
    const consumer = await client.consumers.get(stream, made.name);
    let seen = 0;
    for await (const message of await consumer.consume({ max_messages: 2000 })) {
      yield message;
      if (++seen === state.messages) return;
    }
  }
}
