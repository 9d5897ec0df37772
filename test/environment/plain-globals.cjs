// A jest environment whose global object is an ordinary one. In a contextified global every look-up of `Math` or
// `Float64Array` goes through an interceptor (about 100 ns), which makes number loops some thirty times slower.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// Jest compiles each module anew for each test file. A script that is kept is compiled once a process, and so are its functions.
const { compileFunction, Script } = vm;
const kept = new Map();
vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options ?? {};
  if (filename === undefined || parsingContext === undefined) return compileFunction(source, parameters, options);
  let known = kept.get(filename);
  if (known?.source !== source) {
    const head = `(function (${parameters.join(', ')}) {`;
    const script = new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
    known = { source, script };
    kept.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

module.exports = class PlainGlobals extends TestEnvironment {
  constructor(...settings) {
    const { createContext } = vm;
    vm.createContext = (_, ...rest) => createContext(vm.constants.DONT_CONTEXTIFY, ...rest);
    try {
      super(...settings);
    } finally {
      vm.createContext = createContext;
    }
    // Jest asks for a hundred, and every error that a test expects pays for them.
    this.global.Error.stackTraceLimit = 10;
  }
};
