import { PAPER_TITLES, PAPERS, type TheoremValidation } from '../evidence/experiment/experiment.ts';
import { THEORY_HEADING } from './theory/page.ts';

/** A claim of a validation as it was asked and measured. */
export interface MeasuredClaim {
  readonly met: boolean;
  readonly asked: string;
  readonly measured: string;
}

/** What a run of all validations at the full scale measured: test/evidence/measured.json. */
export interface Measured {
  /** What made the figures. */
  readonly command: string;
  readonly validations: readonly { readonly name: string; readonly claims: readonly MeasuredClaim[] }[];
}

/** What the page says of a validation besides its figures. */
export type TitledValidation = Pick<TheoremValidation, 'name' | 'paper' | 'title' | 'theorems'>;

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Validations without figures, without claims, figures twice, and figures of what is no validation any more. */
export function wrongFigures({ validations: figures }: Measured, validations: readonly TitledValidation[]): string[] {
  const names = validations.map(({ name }) => name);
  const measured = figures.map(({ name }) => name);
  return [
    ...names.filter((name) => !measured.includes(name)).map((name) => `${name}: no figures`),
    ...measured.filter((name) => !names.includes(name)).map((name) => `${name}: figures of no validation`),
    ...measured.filter((name, at) => measured.indexOf(name) < at).map((name) => `${name}: figures twice`),
    ...figures.filter(({ claims }) => claims.length === 0).map(({ name }) => `${name}: no claim`),
  ];
}

/** How many claims are met, of how many, in how many validations. */
export function countMeasured(figures: Measured['validations']): { met: number; all: number; validations: number } {
  const claims = figures.flatMap((one) => one.claims);
  return { met: claims.filter(({ met }) => met).length, all: claims.length, validations: figures.length };
}

/**
 * The page of the site on validation, as Markdown: what each claims, and what was measured.
 *
 * @throws Error where the figures are not those of the validations.
 */
export function validationPage(measured: Measured, validations: readonly TitledValidation[]): string {
  const wrong = wrongFigures(measured, validations);
  if (wrong.length > 0) throw new Error(`test/evidence/measured.json is not of these validations: ${wrong.join('; ')}`);
  const { met, all } = countMeasured(measured.validations);
  const lines = [
    '# Validation: what the theorems claim, and what was measured',
    '',
    `${met} of ${all} claims met, in ${validations.length} validations, by`,
    '',
    `    ${measured.command}`,
    '',
    '[How claims are tested and measured](evidence.md#validation) says what a claim is and how these figures are made anew. Which item of which',
    `paper is measured where: *${THEORY_HEADING}*. What does not hold as printed, and is refuted here: [errata](errata.md).`,
  ];
  for (const paper of PAPERS) {
    lines.push('', `## ${PAPER_TITLES[paper]}`);
    for (const { name, title, theorems } of validations.filter((one) => one.paper === paper)) {
      lines.push('', `### ${name}`, '', `${title}: ${theorems.join('; ')}.`, '');
      lines.push('| | claim | measured |', '|---|---|---|');
      for (const claim of measured.validations.find((one) => one.name === name)?.claims ?? []) {
        lines.push(`| ${claim.met ? 'met' : '**missed**'} | ${cell(claim.asked)} | ${cell(claim.measured)} |`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}
