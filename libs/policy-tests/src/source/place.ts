import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, Node, Pair, ParsedNode } from 'yaml';
import { FileFault } from './file-fault';
import { suggestion } from './suggestion';

interface SourceFile {
  file: string;
  document: Document.Parsed;
  lines: LineCounter;
}

/** A value in a row, as the file has it. */
export type Cell = null | boolean | number | bigint | string | Cell[] | { [key: string]: Cell };

/** Depth of values in values; an alias inside of itself has none. */
const MAX_DEPTH = 50;

/**
 * A value in a YAML file that knows where it stands. Each way of reading it says what it has to be, and faults are told at
 * the value's own line.
 */
export class Place {
  private readonly node: Node | null;

  constructor(
    private readonly source: SourceFile,
    node: ParsedNode | Node | null,
    private readonly depth: number,
    /** Where an empty value would stand. */
    private readonly near: Node | null = null,
  ) {
    this.node = isAlias(node) ? (node.resolve(source.document) ?? null) : node;
    if (depth > MAX_DEPTH) throw this.fault('it is nested too deep');
  }

  get file(): string {
    return this.source.file;
  }

  /** From 1. */
  get line(): number {
    return this.position().line;
  }

  fault(text: string): FileFault {
    const { line, col } = this.position();
    return new FileFault(this.source.file, line, col, text);
  }

  private position(): { line: number; col: number } {
    const offset = (this.node ?? this.near)?.range?.[0] ?? 0;
    return this.source.lines.linePos(offset);
  }

  /** The kind of the value, in words of the format. */
  get kind(): string {
    if (isMap(this.node)) return 'a map';
    if (isSeq(this.node)) return 'a list';
    const value = isScalar(this.node) ? this.node.value : null;
    if (value === null || value === undefined) return 'empty';
    return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
  }

  get isMap(): boolean {
    return isMap(this.node);
  }

  get isList(): boolean {
    return isSeq(this.node);
  }

  /**
   * The values of a map by their keys. `known` holds every key that it may have.
   *
   * @param what the map in words: `a case`
   */
  fields<K extends string>(what: string, known: readonly K[], required: readonly K[] = []): Fields<K> {
    const entries = this.entries(what);
    for (const [key, , at] of entries) {
      if (!(known as readonly string[]).includes(key)) {
        throw at.fault(
          `unknown key "${key}" in ${what}${suggestion(key, known)}; the keys are: ${[...known].join(', ')}`,
        );
      }
    }
    const fields = Object.fromEntries(entries.map(([key, value]) => [key, value])) as Fields<K>;
    const lacking = required.filter((key) => !fields[key]);
    if (lacking.length > 0) throw this.fault(`${what} lacks "${lacking.join('" and "')}"`);
    return fields;
  }

  /** Key, value and the place of the key, in the order of the file; keys are the user's own. */
  entries(what: string): [key: string, value: Place, at: Place][] {
    if (!isMap(this.node)) throw this.fault(`${what} must be a map, and is ${this.kind}`);
    return this.node.items.map((pair: Pair): [string, Place, Place] => {
      const at = new Place(this.source, pair.key as Node, this.depth + 1, this.node);
      const value = new Place(this.source, pair.value as Node | null, this.depth + 1, pair.key as Node);
      return [at.text(`a key of ${what}`), value, at];
    });
  }

  items(what: string): Place[] {
    if (!isSeq(this.node)) throw this.fault(`${what} must be a list, and is ${this.kind}`);
    return this.node.items.map((item) => new Place(this.source, item as Node, this.depth + 1, this.node));
  }

  /** A text that is not empty. */
  text(what: string): string {
    const value = isScalar(this.node) ? this.node.value : null;
    if (typeof value !== 'string') {
      const quote = ['a number', 'a boolean'].includes(this.kind) ? `: put it in quotes` : '';
      throw this.fault(`${what} must be a text, and is ${this.kind}${quote}`);
    }
    if (value === '') throw this.fault(`${what} is empty`);
    return value;
  }

  texts(what: string, ofOne: string): string[] {
    return this.items(what).map((item) => item.text(ofOne));
  }

  /** One of a list of words. */
  word<W extends string>(what: string, words: readonly W[]): W {
    const text = this.text(what);
    const word = words.find((candidate) => candidate === text);
    if (!word)
      throw this.fault(`unknown ${what} "${text}"${suggestion(text, words)}; it is one of: ${words.join(', ')}`);
    return word;
  }

  truth(what: string): boolean {
    const value = isScalar(this.node) ? this.node.value : null;
    if (typeof value !== 'boolean') throw this.fault(`${what} must be true or false, and is ${this.kind}`);
    return value;
  }

  /** A whole number from 0 on. */
  whole(what: string): number {
    const value = isScalar(this.node) ? this.node.value : null;
    if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw this.fault(`${what} must be a whole number from 0 on`);
    }
    return Number(value);
  }

  /** Any value. */
  cell(): Cell {
    if (this.isMap) return Object.fromEntries(this.entries('a value').map(([key, value]) => [key, value.cell()]));
    if (this.isList) return this.items('a value').map((item) => item.cell());
    const value = isScalar(this.node) ? this.node.value : null;
    return (value ?? null) as Cell;
  }
}

export type Fields<K extends string> = { [key in K]?: Place };
