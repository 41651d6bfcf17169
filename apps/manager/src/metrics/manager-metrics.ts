import { Inject, Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { MANAGER_CONFIG, type ManagerConfig } from '../config';

/** What a manager tells Prometheus, on its port for nodes (docs/configuration.md). */
@Injectable()
export class ManagerMetrics {
  private readonly registry = new Registry();

  constructor(@Inject(MANAGER_CONFIG) { policies }: ManagerConfig) {
    collectDefaultMetrics({ register: this.registry });
    const off = new Gauge({
      name: 'gadwall_policies_off',
      help: '1: policies of this kind are out of force on the whole installation, by a kill switch',
      labelNames: ['kind'],
      registers: [this.registry],
    });
    off.set({ kind: 'column' }, policies.columnPolicies ? 0 : 1);
    off.set({ kind: 'row' }, policies.rowPolicies ? 0 : 1);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
