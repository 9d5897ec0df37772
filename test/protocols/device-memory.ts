import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createContext, runInContext, runInNewContext } from 'node:vm';
import { build, transform } from 'esbuild';
import type { Agreed } from '../../src/core/device.ts';

/** Every protocol that can be deployed, and one answer of a device of each kind. */
const PROGRAM = `
  import { euclideanMedian } from './protocols/euclidean-median/index.ts';
  import { frequency } from './protocols/frequency/index.ts';
  import { frequencyPlayer } from './protocols/frequency/player.ts';
  import { generalizedLinear } from './protocols/generalized-linear/index.ts';
  import { hinge } from './protocols/hinge/index.ts';
  import { directHinge, liftedHinge, sampledHinge } from './protocols/hinge/player.ts';
  import { mean } from './protocols/mean/index.ts';
  import { meanPlayer } from './protocols/mean/player.ts';
  import { onlineSgd } from './protocols/online-sgd/index.ts';
  import { userLevelErm } from './protocols/user-level-erm/index.ts';
  import { userLevelMean } from './protocols/user-level-mean/index.ts';
  import { deployedPlayer, deployedRoundsPlayer, deployedSequentialPlayer } from './src/core/device.ts';
  import { createLedger, guaranteeCap, memoryStore } from './src/core/ledger.ts';
  const protocols = {
    euclideanMedian, frequency, frequencyPlayer, generalizedLinear, hinge, directHinge, liftedHinge, sampledHinge, mean, meanPlayer, onlineSgd,
    userLevelErm, userLevelMean,
  };
  const made = new Map();
  // Plans are public, and made once.
  function remembering(protocol) {
    return { ...protocol, make(request) {
      const key = protocol.name + JSON.stringify(request);
      if (!made.has(key)) made.set(key, protocol.make(request));
      return made.get(key);
    } };
  }
  // Throws when the answer is there, and all scratch is full.
  function failing(protocol) {
    return { ...protocol, player: { ...protocol.player, randomize(...all) {
      protocol.player.randomize(...all);
      throw new Error('after the answer');
    } } };
  }
  export let device;
  export function answer({ name, agreed, received, fails }, datum) {
    const protocol = remembering(fails ? failing(protocols[name]) : protocols[name]);
    const ledger = createLedger({ cap: guaranteeCap(protocol.theory.guarantee(protocol.make(agreed.request))), store: memoryStore() });
    if (protocol.rounds !== undefined) device = deployedRoundsPlayer(protocol, agreed, { ledger });
    else if (protocol.player.remake !== undefined) device = deployedSequentialPlayer(protocol, agreed, { ledger });
    else device = deployedPlayer(protocol, agreed, { ledger });
    try {
      if (received === undefined) device.report(datum); else device.report(received, datum);
    } catch (error) {
      return String(error);
    }
    return 'an answer';
  }
`;

/** Makes every array of numbers of a program known, for as long as the program itself can reach it. */
const WATCH = `
  const watched = [];
  for (const name of ['Float64Array', 'Float32Array', 'Int32Array', 'Uint32Array', 'Uint16Array', 'Uint8Array', 'BigUint64Array', 'ArrayBuffer']) {
    const Original = globalThis[name];
    globalThis[name] = class extends Original {
      constructor(...all) {
        super(...all);
        watched.push(new WeakRef(this));
      }
    };
    Object.defineProperty(globalThis[name], 'name', { value: name });
  }
  function reachable() {
    return watched.flatMap((reference) => {
      const array = reference.deref();
      if (array === undefined) return [];
      const numbers = array instanceof ArrayBuffer ? [...new Uint8Array(array)] : [...array];
      return [array.constructor.name + '(' + numbers.length + '): ' + numbers.join()];
    }).sort();
  }
`;

/** One answer: of which protocol, under which parameters, and in which round or step. */
export interface Asked {
  readonly name: string;
  readonly agreed: Agreed;
  readonly received?: unknown;
  /** The player throws after it has answered. */
  readonly fails?: boolean;
}

/** A program of its own that holds devices, and whose memory can be read. */
export interface Watched {
  /** What the device said about a datum with the coins of a seed. */
  answer(asked: Asked, datum: unknown, seed: number): string;
  /** All arrays of numbers that the program still reaches, with their contents. The last device is one of its things. */
  memory(): Promise<string[]>;
}

/** The devices of all protocols in a program of their own; without `wipes` one in which scratch is left as it is. */
export async function watchedDevices({ wipes }: { readonly wipes: boolean }): Promise<Watched> {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: resolve(__dirname, '../..'), loader: 'ts' },
    ...{ bundle: true, platform: 'browser', format: 'esm', target: 'es2023', write: false, logLevel: 'silent' },
  });
  const { code } = await transform(outputFiles![0].text, { format: 'iife', globalName: 'program' });
  const wiping = 'function wipeScratch() {';
  if (code.split(wiping).length !== 2) throw new Error('the program has no wipeScratch');
  let state = 1;
  const crypto = {
    getRandomValues(target: Uint32Array): Uint32Array {
      for (let i = 0; i < target.length; i++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        target[i] = Math.imul(state ^ (state >>> 13), 0x9e3779b1);
      }
      return target;
    },
  };
  const context = createContext({ crypto, TextEncoder, TextDecoder });
  runInContext(WATCH, context);
  runInContext(wipes ? code : code.replace(wiping, `${wiping} return;`), context);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const run: (asked: Asked, datum: unknown) => string = runInContext('program.answer', context);
  return {
    answer(asked, datum, seed) {
      state = seed;
      return run(asked, datum);
    },
    async memory() {
      // What was reached in this turn of the loop lives until it ends.
      await setImmediate();
      collect();
      return runInContext('reachable()', context);
    },
  };
}
