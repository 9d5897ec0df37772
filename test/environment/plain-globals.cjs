// A jest environment whose global object is an ordinary one. In a contextified global every look-up of `Math` or
// `Float64Array` goes through an interceptor (about 100 ns), which makes number loops some thirty times slower.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

module.exports = class PlainGlobals extends TestEnvironment {
  constructor(...settings) {
    const { createContext } = vm;
    vm.createContext = (_, ...rest) => createContext(vm.constants.DONT_CONTEXTIFY, ...rest);
    try {
      super(...settings);
    } finally {
      vm.createContext = createContext;
    }
  }
};
