import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '@gadwall/rbac';
import { ForUsers, Public } from './access';
import { LoginDto, ModeQuery } from './auth.dto';
import { Authentication } from './authentication';
import { Login } from './login';
import { type Authenticated, FromPrincipal } from './principal';

/** Sessions of the REST API. Source: qod-api.md 1.2. */
@ApiTags('auth')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly logins: Login,
    private readonly authentication: Authentication,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(200)
  login(@Body() { username, password, tenant }: LoginDto): Promise<unknown> {
    return this.logins.login({ username, password, tenant: realmOf(tenant) });
  }

  @Post('logout')
  @ForUsers()
  @HttpCode(200)
  async logout(@FromPrincipal() principal: Authenticated): Promise<void> {
    if (principal.sessionId === null) throw new DomainError('no_session_identity');
    await this.authentication.revoke(principal.sessionId);
  }

  @Get('whoami')
  @ForUsers()
  async whoami(@FromPrincipal() principal: Authenticated): Promise<unknown> {
    return { ...(await this.logins.identityOf(principal)), role: principal.admin ? 'admin' : 'user' };
  }

  @Get('mode')
  @Public()
  mode(@Query() _: ModeQuery): { mode: string; ssoProviderName: string | null } {
    return { mode: 'db', ssoProviderName: null };
  }
}

/** A blank tenant field of a login form means none (seed 000, "Superusers"). */
function realmOf(tenant: string | null | undefined): string | null {
  return tenant === undefined || tenant === null || tenant === '' ? null : tenant;
}
