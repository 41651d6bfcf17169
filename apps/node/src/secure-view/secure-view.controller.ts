import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { dropSecureView, makeSecureView, StatementPipeline } from '@gadwall/engine';
import {
  DomainError,
  type SecureViewDropping,
  secureViewHash,
  type SecureViewMaking,
  type SecureViewOutcome,
} from '@gadwall/rbac';
import { Admission } from '../admission';

/** Secure views in the catalog of this node, as a manager has them made and dropped. */
@Controller('internal/secure-view')
export class SecureViewController {
  constructor(
    private readonly admission: Admission,
    private readonly pipeline: StatementPipeline,
  ) {}

  /** The handle vouches for all of it. */
  @Post('make')
  @HttpCode(200)
  make(@Body() request: { handle?: string; making?: SecureViewMaking } | undefined): Promise<SecureViewOutcome> {
    const { handle, making } = request ?? {};
    if (!making) throw new DomainError('handle_refused', { reason: 'malformed' });
    this.admission.admitSession(handle ?? '', secureViewHash(making));
    return makeSecureView(this.pipeline.maker, making);
  }

  /** Likewise. */
  @Post('drop')
  @HttpCode(200)
  async drop(
    @Body() request: { handle?: string; dropping?: SecureViewDropping } | undefined,
  ): Promise<Record<string, never>> {
    const { handle, dropping } = request ?? {};
    if (!dropping) throw new DomainError('handle_refused', { reason: 'malformed' });
    this.admission.admitSession(handle ?? '', secureViewHash(dropping));
    await dropSecureView(this.pipeline.maker, dropping.view);
    return {};
  }
}
