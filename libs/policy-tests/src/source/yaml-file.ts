import { readFileSync } from 'node:fs';
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import { FileFault } from './file-fault';
import { Place } from './place';

/**
 * The one YAML document of a file, as the place of its root. Whole numbers are read as bigint, so that none loses digits.
 *
 * @throws FileFault for a file that cannot be read, or is not one YAML document
 */
export function readYaml(file: string): Place {
  const lines = new LineCounter();
  const document = parseDocument(textOf(file), { lineCounter: lines, intAsBigInt: true, uniqueKeys: true });
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) {
    const { line, col } = lines.linePos(wrong.pos[0]);
    throw new FileFault(file, line, col, inWords(wrong));
  }
  return new Place({ file, document, lines }, document.contents, 0);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FileFault(file, 1, 1, code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`);
  }
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second YAML document begins here: a file holds one';
  const [text = ''] = message.split('\n');
  return text.replace(/ at line \d+, column \d+:?$/, '');
}
