import { join, relative } from 'node:path';
import ts from 'typescript';
import { collectTags, EXPERIMENTS } from '../documentation/theory/tags.ts';

/** A declaration at the top of a file. */
export interface Declared {
  /** From the root of the project, with `/`. */
  readonly file: string;
  readonly name: string;
  readonly node: ts.Node;
}

/** The declarations of the project that its `@theorem` tags stand at, and what these are made of. */
export interface Declarations {
  readonly program: ts.Program;
  /** What is mutated for an item of a paper. */
  of(paper: string, number: string): readonly Declared[];
}

/**
 * What another file has to be called for a tagged declaration to be answered for by its row: what noise, budgets, sensitivities,
 * bounds and plans are called here.
 */
const QUANTITIES: RegExp =
  /sigma|noise|scale|budget|epsilon|delta|(?:^|[a-z])mu(?:$|[A-Z])|sensitivity|distance|bound|width|range|radius|plan|variance|error|bias|release|guarantee|certificate|probability|constant|floor|theory|randomize/i;

/** General tools have tests of their own; the command line and experiments choose sizes of drawings. */
const ELSEWHERE: RegExp = /^src\/(?:numeric|random|check|node)\//;

/**
 * The declarations that belong to each item: those that its tags stand at; what these use of their own file, at any number of
 * steps; and what they use directly of other files where its name is that of a quantity ({@link QUANTITIES}), with what that uses of
 * its own file. A declaration with tags of its own belongs to the items of these alone. Experiments (drawings, tables) are left out.
 */
export function declarationsOf(root: string): Declarations {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(fileNames, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const pathOf = (source: ts.SourceFile): string => relative(root, source.fileName).replaceAll('\\', '/');
  const tags = collectTags(root).filter(({ place }) => !EXPERIMENTS.test(place));
  const tagged = new Set(tags.map(({ place, name }) => `${place.split(':')[0]} ${name}`));

  const declared = (node: ts.Node | undefined): Declared | undefined => {
    if (node === undefined) return undefined;
    const source = node.getSourceFile();
    const file = pathOf(source);
    if (file.startsWith('..') || file.includes('node_modules/')) return undefined;
    let top: ts.Node = node;
    while (top.parent !== undefined && !ts.isSourceFile(top.parent)) {
      if (ts.isVariableDeclaration(top) && ts.isSourceFile(top.parent.parent.parent)) break;
      top = top.parent;
    }
    // Of a function with several signatures the one with a body.
    if (ts.isFunctionDeclaration(top) && top.body === undefined) {
      const { name } = top;
      const whole = source.statements.find(
        (one) => ts.isFunctionDeclaration(one) && one.body !== undefined && one.name?.text === name?.text,
      );
      top = whole ?? top;
    }
    const named = ts.isFunctionDeclaration(top) || ts.isVariableDeclaration(top) ? top.name : undefined;
    return named !== undefined && ts.isIdentifier(named) ? { file, name: named.text, node: top } : undefined;
  };
  const symbolAt = (node: ts.Node): ts.Symbol | undefined => {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  };
  /** What a name stands for; a member of an object that is written out at the top of a file stands for its value. */
  const meant = (identifier: ts.Identifier): Declared | undefined => {
    const { parent } = identifier;
    if (!ts.isPropertyAccessExpression(parent)) return declared(symbolAt(identifier)?.valueDeclaration);
    const value = ts.isIdentifier(parent.expression)
      ? memberOf(symbolAt(parent.expression)?.valueDeclaration, parent.name.text)
      : undefined;
    if (parent.name === identifier) return value && declared(symbolAt(value)?.valueDeclaration);
    return value === undefined ? declared(symbolAt(identifier)?.valueDeclaration) : undefined;
  };
  const used = (one: Declared): readonly Declared[] => {
    const found: Declared[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node)) return;
      if (ts.isIdentifier(node)) {
        const other = meant(node);
        if (other !== undefined && other.node !== one.node) found.push(other);
      }
      ts.forEachChild(node, visit);
    };
    ts.forEachChild(one.node, visit);
    return found;
  };
  const closure = (first: readonly Declared[]): readonly Declared[] => {
    const found = new Map<ts.Node, Declared>();
    const queue = first.map((one) => ({ one, own: true }));
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { one, own } = next;
      if (found.has(one.node)) continue;
      found.set(one.node, one);
      for (const other of used(one)) {
        if (tagged.has(`${other.file} ${other.name}`) || ELSEWHERE.test(other.file)) continue;
        if (other.name.startsWith('DEFAULT')) continue;
        if (other.file === one.file) queue.push({ one: other, own });
        // A constant that only passes on what another file declares is that.
        else if (own && QUANTITIES.test(other.name)) queue.push({ one: other, own: isPassedOn(one.node) });
      }
    }
    return [...found.values()];
  };
  return {
    program,
    of: (paper, number) => {
      const places = tags.filter((tag) => tag.paper === paper && tag.number === number);
      const first = places.flatMap(({ place, name }) => {
        const source = program.getSourceFile(join(root, place.split(':')[0]));
        const statement = source?.statements.find((one) => namesOf(one).includes(name ?? ''));
        if (statement === undefined) return [];
        const node = ts.isVariableStatement(statement)
          ? statement.declarationList.declarations.find((one) => one.name.getText() === name)
          : statement;
        const one = declared(node);
        return one === undefined ? [] : [one];
      });
      return closure(first);
    },
  };
}

/** The names that a statement declares. */
export function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isFunctionDeclaration(statement)) return [statement.name?.text ?? ''];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.map(({ name }) => name.getText());
}

function memberOf(declaration: ts.Declaration | undefined, name: string): ts.Node | undefined {
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
  const { initializer } = declaration;
  if (initializer === undefined || !ts.isObjectLiteralExpression(initializer)) return undefined;
  const member = initializer.properties.find((one) => one.name?.getText() === name);
  if (member === undefined) return undefined;
  return ts.isPropertyAssignment(member) ? member.initializer : member.name;
}

function isPassedOn(node: ts.Node): boolean {
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return false;
  return ts.isIdentifier(node.initializer) || ts.isPropertyAccessExpression(node.initializer);
}
