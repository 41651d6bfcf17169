/**
 * The node's counter of changes to what names mean (DESIGN section 1). The node is the only process that opens its
 * database, so an own counter is exact (reference/ducklake.md section 5, "Cache rule that held").
 */
export class CatalogEpoch {
  private count = 0;
  private changing = 0;

  /** The current epoch; null while a change is under way, when nothing may be cached or taken from a cache. */
  get stable(): number | null {
    return this.changing === 0 ? this.count : null;
  }

  /** Marks a change of the catalog from before it starts until `end` is called. */
  begin(): () => void {
    this.count++;
    this.changing++;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.changing--;
      this.count++;
    };
  }
}
