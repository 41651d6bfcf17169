import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '@gadwall/rbac';
import type { FastifyRequest } from 'fastify';
import { type Caller, Login, Public } from '../auth';
import type { Mutated } from '../mutation';
import { requirePassword } from './account';
import { ChangePassword } from './change-password.command';
import { UpdateSuperuser } from './update-user.command';
import { ChangePasswordDto } from './user.dto';

/** One's own password, also where it must be changed before one may log in. Source: qod-api.md 1.2. */
@ApiTags('auth')
@Controller('api/auth')
export class ChangePasswordController {
  constructor(
    private readonly commands: CommandBus,
    private readonly logins: Login,
  ) {}

  @Post('change-password')
  @Public()
  @HttpCode(200)
  async change(@Req() request: FastifyRequest, @Body() body: ChangePasswordDto): Promise<Mutated<void>> {
    const { username, currentPassword, newPassword } = body;
    const account = await this.logins.prove({ username, password: currentPassword, tenant: body.tenant || null });
    requirePassword(newPassword);
    if (newPassword === currentPassword) {
      throw new DomainError('invalid_user', { detail: 'the new password must differ from the one before' });
    }
    const { userId, tenant } = account;
    const superuser = tenant === null;
    const caller: Caller = {
      principal: { userId, username, tenant, superuser, admin: superuser, sessionId: null },
      requestId: request.id,
    };
    if (tenant !== null) return this.commands.execute(new ChangePassword(tenant, caller, userId, newPassword));
    const update = { password: newPassword, mustChangePassword: false };
    return this.commands.execute(new UpdateSuperuser(caller, userId, update));
  }
}
