import { hinge } from '../../protocols/hinge/index.ts';
import type { ChannelTally, MomentTally } from '../../src/core/channel.ts';
import type { Broken } from './broken.ts';

const { add, merge, empty, estimate } = hinge.server;

const momentsOf = (tally: ChannelTally): MomentTally => tally as MomentTally;

/** Tallies that are no commutative monoid, and estimates that are no function of the tally. */
export const brokenServers: readonly Broken[] = [
  {
    what: 'a merge that is not commutative',
    law: 'merging is commutative',
    server: {
      merge(parameters, tally, other) {
        for (let i = 0; i < momentsOf(tally).sums.length; i++) momentsOf(tally).sums[i] *= 0.5;
        merge(parameters, tally, other);
      },
    },
  },
  {
    what: 'a merge that forgets the players',
    law: 'merging is associative, and equal to adding one by one',
    server: {
      merge(parameters, tally, other) {
        const { players } = tally;
        merge(parameters, tally, other);
        tally.players = Math.max(players, other.players);
      },
    },
  },
  {
    what: 'an empty tally that is not empty',
    law: 'the empty tally is neutral, on both sides',
    server: {
      empty(parameters) {
        const tally = empty(parameters);
        momentsOf(tally).sums[0] = 1e-3;
        return tally;
      },
    },
  },
  {
    what: 'a tally that gives later reports more weight',
    law: 'the order in which reports are added does not matter',
    server: {
      add(parameters, tally, report) {
        for (let i = 0; i < momentsOf(tally).sums.length; i++) momentsOf(tally).sums[i] *= 0.99;
        add(parameters, tally, report);
      },
    },
  },
  {
    what: 'a tally that takes no notice of a report it has seen',
    law: 'a report counts: one more or one fewer is another tally',
    server: {
      add(parameters, tally, report) {
        const { players } = tally;
        const before = momentsOf(tally).sums.slice();
        add(parameters, tally, report);
        if (players < 3) return;
        momentsOf(tally).sums.set(before);
        tally.players = players;
      },
    },
  },
  {
    what: 'an add that uses up the report',
    law: 'add keeps nothing of the report but its numbers, and leaves it as it is',
    server: {
      add(parameters, tally, report) {
        add(parameters, tally, report);
        report.values.fill(0);
      },
    },
  },
  {
    what: 'a merge that drains the other tally',
    law: 'merge leaves the other tally as it is, and shares nothing with it',
    server: {
      merge(parameters, tally, other) {
        merge(parameters, tally, other);
        momentsOf(other).sums.fill(0);
        other.players = 0;
      },
    },
  },
  {
    what: 'a merge into an empty tally that shares its memory',
    law: 'merge leaves the other tally as it is, and shares nothing with it',
    server: {
      merge(parameters, tally, other) {
        if (tally.players > 0) merge(parameters, tally, other);
        else Object.assign(tally, other);
      },
    },
  },
  {
    what: 'an estimate that turns the sums into means where they stand',
    law: 'estimate is a function of the tally: it changes nothing, and asked twice it answers the same',
    server: {
      estimate(parameters, tally, query) {
        const result = estimate(parameters, tally, query);
        for (let i = 0; i < momentsOf(tally).sums.length; i++) momentsOf(tally).sums[i] /= tally.players;
        return result;
      },
    },
  },
  {
    what: 'an estimate of nobody',
    law: 'one player is enough for an estimate, and none is refused with a RangeError',
    server: {
      estimate: (parameters, tally, query) =>
        estimate(parameters, tally.players > 0 ? tally : { ...tally, players: 1 }, query),
    },
  },
  {
    what: 'a tally that does not survive the way to another thread',
    law: 'a tally that was sent to another machine and back is the same tally',
    server: {
      empty(parameters) {
        const tally = empty(parameters);
        // What is not enumerable is left behind.
        return Object.defineProperty(tally, 'sums', { enumerable: false, value: momentsOf(tally).sums });
      },
    },
  },
  {
    what: 'a server that merges any two tallies',
    law: 'a tally of reports under other parameters is neither merged nor estimated',
    server: {
      merge: (parameters, tally, other) => merge(parameters, tally, { ...other, digest: parameters.digest }),
    },
  },
];
