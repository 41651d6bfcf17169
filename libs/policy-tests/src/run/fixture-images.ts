import { FixtureImage } from '../engine';
import type { Fixture, FixtureDatabase } from '../fixture';

/** The images of fixtures and their twins, each filled when it is first asked for. */
export class FixtureImages {
  private readonly images = new Map<readonly FixtureDatabase[], Promise<FixtureImage>>();

  /** @param root folder that they are kept in */
  constructor(private readonly root: string) {}

  of(fixture: Fixture): Promise<FixtureImage> {
    return this.filled(fixture.databases);
  }

  twin(fixture: Fixture, name: string): Promise<FixtureImage> {
    return this.filled(fixture.twins.get(name) ?? []);
  }

  private filled(databases: readonly FixtureDatabase[]): Promise<FixtureImage> {
    const known = this.images.get(databases);
    if (known) return known;
    const filling = FixtureImage.fill(databases, this.root);
    this.images.set(databases, filling);
    return filling;
  }
}
