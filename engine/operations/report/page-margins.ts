/** The head and foot of each printed page: title and case, author and date, number of the page, classification. */
import type { ReportFacts } from './facts.ts';
import { recordedText } from './figures.ts';

const FONT = 'font: 7.5pt Helvetica, Arial, sans-serif; color: #56606b;';
const MARKING = 'font: 700 12pt Helvetica, Arial, sans-serif; color: #1b1f24; text-align: center;';

/** A style sheet for paper; browsers that print no margin boxes leave them out. */
export function pageMargins({ request, info }: ReportFacts, title: string): string {
  const { author, classification, generatedAt, zone } = request;
  const written = `Written ${recordedText(generatedAt, zone)}`;
  const by = author === undefined || author.trim() === '' ? '' : `${clipped(author, 60)} · `;
  const marking =
    classification === undefined
      ? ''
      : `  @top-center { content: ${cssString(classification)}; ${MARKING} vertical-align: top; padding-top: 5mm; }
  @bottom-center { content: ${cssString(classification)}; ${MARKING} vertical-align: bottom; padding-bottom: 5mm; }
`;
  return `@page { size: A4; margin: 21mm 17mm 20mm;
  @top-left { content: ${cssString(clipped(title, 80))}; ${FONT} }
  @top-right { content: ${cssString(`Case ${clipped(info.name, 40)}`)}; ${FONT} }
  @bottom-left { content: ${cssString(by + written)}; ${FONT} }
  @bottom-right { content: counter(page) " / " counter(pages); ${FONT} }
${marking}}
`;
}

function clipped(text: string, most: number): string {
  const all = [...text];
  return all.length <= most ? text : `${all.slice(0, most - 1).join('')}…`;
}

/** A text as a CSS string: everything but letters, digits and spaces by code, so that nothing ends it. */
function cssString(text: string): string {
  const safe = text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[^A-Za-z0-9 ]/gu, (one) => `\\${(one.codePointAt(0) ?? 0).toString(16)} `);
  return `"${safe}"`;
}
