/** What is wrong in a file, and where; lines and columns count from 1. */
export class FileFault extends Error {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number,
    readonly text: string,
  ) {
    super(`${file}:${line}:${column}: ${text}`);
    this.name = 'FileFault';
  }
}
