import { createHash } from 'node:crypto';

/** The page without its script, after a look that it has at most one, and that its policy allows that one and nothing else. */
export function withoutScript(page: string): string {
  const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)];
  const digest = scripts.map(([, text]) => createHash('sha256').update(text).digest('base64'));
  const allowed = digest.map((one) => `; script-src &#39;sha256-${one}&#39;`).join('');
  const policy = `content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;${allowed}"`;
  if (scripts.length > 1 || !page.includes(policy)) throw new Error('the policy of the page is another one');
  return page.replace(/<script>.*?<\/script>/gs, '');
}

/** Formulas as plain text: 10^−6. */
export function withoutMath(page: string): string {
  return page
    .replace(/<span class="whole">(.*?)<\/span>/g, '$1')
    .replace(/<msup>(.*?)<\/msup>/g, (_, power: string) => {
      const [base, ...exponent] = power
        .replace(/<\/m[ino]>/g, '\n')
        .replace(/<[^>]*>/g, '')
        .trim()
        .split('\n');
      return `${base}^${exponent.join('')}`;
    })
    .replace(/<\/?m(?:ath|row|sub|sqrt|i|n|o)(?: [^>]*)?>/g, '');
}

/** What a reader sees: the text of the page, but for what is folded and what pictures hold. */
export function read(page: string): string {
  const [, body] = withoutMath(page)
    .replace(/<details>.*?<\/details>|<script>.*?<\/script>|<svg.*?<\/svg>/gs, '')
    .split('<body>');
  return body
    .replace(/<\/(?:td|th|dd|dt|p|li|h\d|pre)>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');
}
