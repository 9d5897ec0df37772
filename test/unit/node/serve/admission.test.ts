import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { hinge, lifted } from '../../../../protocols/hinge/index.ts';
import { certify } from '../../../../src/core/certify.ts';
import { admitAll, admitListed, admitTickets, createTickets } from '../../../../src/node/serve/intake.ts';

import { commandHost } from '../command-host.ts';
import { scratchFolder } from '../scratch.ts';

const write = scratchFolder();
const host = commandHost();
const secret = Uint8Array.from({ length: 32 }, (_, i) => i);
const plan = '0123456789abcdef0123456789abcdef';

describe('admission', () => {
  test('by ticket: each ticket is one player, of this plan and this secret alone', () => {
    const tickets = createTickets(secret, plan, 50);
    const admit = admitTickets(secret, plan);
    const marks = tickets.map((ticket) => Buffer.from(admit(ticket) ?? []).toString('hex'));
    expect(new Set(marks).size).toBe(50);
    expect(marks.every((mark) => mark.length === 32)).toBe(true);
    expect(admitTickets(secret, plan.replace('0', 'f'))(tickets[0])).toBeUndefined();
    expect(
      admitTickets(
        secret.map((byte) => byte ^ 1),
        plan,
      )(tickets[0]),
    ).toBeUndefined();
  });

  test('a ticket changed in any character is forged, and it has one spelling', () => {
    const [ticket] = createTickets(secret, plan, 1);
    const admit = admitTickets(secret, plan);
    for (let at = 0; at < ticket.length; at++) {
      for (const character of 'AQgw-_09') {
        if (character === ticket[at]) continue;
        expect(admit(ticket.slice(0, at) + character + ticket.slice(at + 1))).toBeUndefined();
      }
    }
    for (const text of ['', ticket.slice(1), `${ticket}=`, ` ${ticket}`, ticket + ticket]) {
      expect(admit(text)).toBeUndefined();
    }
  });

  test('a secret that could be guessed is refused', () => {
    expect(() => createTickets(new Uint8Array(15), plan, 1)).toThrow('at least 16 bytes');
    expect(() => admitTickets(new Uint8Array(0), plan)).toThrow('at least 16 bytes');
  });

  test('by list: those on it, each id once', () => {
    const admit = admitListed(['ada', 'grace']);
    expect(admit('ada')).toHaveLength(16);
    expect(admit('eve')).toBeUndefined();
    expect(() => admitListed(['ada', 'ada'])).toThrow('every id once');
    expect(() => admitListed([''])).toThrow('1 to 256 characters');
  });

  test('of everybody: names of 1 to 256 characters', () => {
    const admit = admitAll();
    expect(admit('x'.repeat(256))).toHaveLength(16);
    expect(admit('x'.repeat(257))).toBeUndefined();
    expect(admit('')).toBeUndefined();
    // The same to the eye, and two texts.
    expect(admit('\u00e9')).not.toEqual(admit('e\u0301'));
  });
});

test('a list of ids that is not UTF-8 is refused before anybody is admitted', async () => {
  const certificate = certify(hinge, lifted({ epsilon: 1, degree: 1, dimension: 2, grade: 'deployment' }));
  const folder = dirname(write('plan.json', JSON.stringify(certificate)));
  writeFileSync(join(folder, 'ids.txt'), Buffer.from('Jos\u00e9\nJos\u00ea\n', 'latin1'));
  const { status, stderr } = await host(folder, ['serve', 'plan.json', '--folder', 'kept', '--ids', 'ids.txt']);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'ldpkit: "ids" expected a text file in UTF-8, got "ids.txt"\n',
  });
});
