import { claimLine, effortLine } from '../engine/text.ts';
import type { TheoremValidation } from '../experiment/experiment.ts';
import { byPaper, type ValidationDocument } from './document.ts';

/** What a validation measures: `hinge-theorem-11 (Theorem 11, Remark 12)`. */
function nameLine({ name, theorems }: { readonly name: string; readonly theorems: readonly string[] }): string {
  return `${name} (${theorems.join('; ')})`;
}

/** What came of validations as lines for a terminal: every claim, by paper. */
export function validationLines(document: ValidationDocument): readonly string[] {
  const { claims, validations, effort } = document;
  return [
    effortLine(document, effort),
    ...byPaper(validations).flatMap((group) => [
      '',
      group.title,
      ...group.validations.flatMap((one) => [
        '',
        `  ${nameLine(one)}`,
        ...one.claims.map((claim) => `  ${claimLine(claim)}`),
      ]),
    ]),
    '',
    `${claims.met} of ${claims.all} claims met${claims.open === 0 ? '' : `, ${claims.open} open`}`,
  ];
}

/** The validations there are as lines for a terminal. */
export function validationNames(validations: readonly TheoremValidation[]): readonly string[] {
  return byPaper(validations).flatMap((group, index) => [
    ...(index > 0 ? [''] : []),
    `${group.paper}: ${group.title}`,
    ...group.validations.map((one) => `  ${nameLine(one)}: ${one.title}`),
  ]);
}
