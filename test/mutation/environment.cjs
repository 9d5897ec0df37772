// The environment of the tests with one mutant on: it leaves out tests that never come by the mutant, stops at the first failure,
// and notes which test came by which place when the original runs.
const PlainGlobals = require('../environment/plain-globals.cjs');

function nameOf(test) {
  const names = [];
  for (let block = test; block?.parent !== undefined; block = block.parent) names.unshift(block.name);
  return names.join(' › ');
}

function* testsOf(block) {
  for (const child of block.children) {
    if (child.type === 'test') yield child;
    else yield* testsOf(child);
  }
}

module.exports = class MutationEnvironment extends PlainGlobals {
  constructor(...settings) {
    super(...settings);
    this.order = globalThis.$order;
    this.global.$mutant = this.order.mutant;
    this.global.$visited = new Uint8Array(this.order.places);
  }

  async handleTestEvent(event, state) {
    const { order } = this;
    if (event.name === 'run_start' && order.tests !== undefined) {
      for (const test of testsOf(state.rootDescribeBlock)) if (!order.tests.includes(nameOf(test))) test.mode = 'skip';
    }
    // What runs outside of tests (modules, hooks of a group) may be what any of them looks at.
    if (event.name === 'test_start') this.collect('');
    if (event.name === 'test_done') {
      this.collect(nameOf(event.test));
      if (event.test.errors.length > 0) this.failed = true;
    }
    if (event.name === 'run_finish') this.collect('');
    if (event.name === 'test_start' && this.failed) event.test.mode = 'skip';
  }

  collect(name) {
    if (this.order.mutant !== 0) return;
    const { $visited } = this.global;
    const found = new Set(this.order.visits.get(name));
    $visited.forEach((flag, id) => {
      if (flag) found.add(id);
    });
    $visited.fill(0);
    this.order.visits.set(name, found);
  }
};
