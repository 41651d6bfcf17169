import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { DomainError } from '@gadwall/rbac';
import { type Caller, ForUsers, FromCaller } from '../auth';
import { type Mutated, TenantScope } from '../mutation';
import { emailOf, kindOf, requirePassword, usernameOf } from './account';
import { CreateSuperuser, CreateUser } from './create-user.command';
import { DeleteSuperuser, DeleteUser } from './delete-user.command';
import { type AccountUpdate, UpdateSuperuser, UpdateUser } from './update-user.command';
import { CreateUserDto, UpdateUserDto, UserIdDto, UsersQuery } from './user.dto';
import { type EffectiveResponse, UserQuery, type UserResponse } from './user.query';

/** Accounts. Source: qod-api.md 1.3. */
@ApiTags('user')
@Controller('api/user')
export class UserController {
  constructor(
    private readonly commands: CommandBus,
    private readonly scope: TenantScope,
    private readonly users: UserQuery,
  ) {}

  @Post('create')
  @HttpCode(200)
  async create(@FromCaller() caller: Caller, @Body() body: CreateUserDto): Promise<Mutated<UserResponse>> {
    const named = body.tenant ?? null;
    const tenant = named === null ? null : await this.scope.named(caller, named);
    if (tenant === null) requireSuperuser(caller, body);
    const plan = {
      username: usernameOf(body.username),
      password: requirePassword(body.password),
      kind: kindOf(body.kind) ?? 'user',
      mustChangePassword: body.mustChangePassword ?? false,
      email: emailOf(body.email),
    };
    const memberships = { roles: body.roles ?? null, groups: body.groups ?? null };
    const made =
      tenant === null
        ? await this.commands.execute(new CreateSuperuser(caller, plan))
        : await this.commands.execute(new CreateUser(tenant, caller, plan, memberships));
    return made.with(await this.users.user(tenant, made.result));
  }

  @Post('update')
  @HttpCode(200)
  async update(@FromCaller() caller: Caller, @Body() body: UpdateUserDto): Promise<Mutated<UserResponse>> {
    const named = body.tenant ? await this.scope.named(caller, body.tenant) : null;
    const tenant = await this.scope.locate(caller, 'app_user', body.id);
    if (named !== null && named !== tenant) throw new DomainError('not_found');
    const update = updateOf(body);
    const changed =
      tenant === null
        ? await this.commands.execute(new UpdateSuperuser(caller, body.id, update))
        : await this.commands.execute(new UpdateUser(tenant, caller, body.id, update));
    return changed.with(await this.users.user(tenant, body.id));
  }

  @Post('delete')
  @HttpCode(200)
  async delete(@FromCaller() caller: Caller, @Body() { id }: UserIdDto): Promise<Mutated<void>> {
    const tenant = await this.scope.locate(caller, 'app_user', id);
    return tenant === null
      ? this.commands.execute(new DeleteSuperuser(caller, id))
      : this.commands.execute(new DeleteUser(tenant, caller, id));
  }

  @Get('list')
  async list(@FromCaller() caller: Caller, @Query() { tenant }: UsersQuery): Promise<{ users: UserResponse[] }> {
    const named = tenant ? await this.scope.named(caller, tenant) : caller.principal.tenant;
    return { users: await this.users.users(named) };
  }

  /** One's own set is for everyone; another's is for administrators. */
  @Get(':id/effective')
  @ForUsers()
  async effective(@FromCaller() caller: Caller, @Param() { id }: UserIdDto): Promise<EffectiveResponse> {
    const { principal } = caller;
    if (!principal.admin && principal.userId !== id.toLowerCase()) throw new DomainError('admin_required');
    return this.users.effective(await this.scope.locate(caller, 'app_user', id), id);
  }
}

/** Absent and null are the same. */
const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

function requireSuperuser(caller: Caller, { roles, groups }: CreateUserDto): void {
  if (!caller.principal.superuser) throw new DomainError('superuser_required', { what: 'making a superuser' });
  if (given(roles) || given(groups)) throw new DomainError('memberships_not_applicable');
}

function updateOf(body: UpdateUserDto): AccountUpdate {
  return {
    kind: kindOf(body.kind),
    enabled: body.enabled ?? undefined,
    mustChangePassword: body.mustChangePassword ?? undefined,
    password: given(body.password) ? requirePassword(body.password) : undefined,
    email: given(body.email) ? emailOf(body.email) : undefined,
  };
}
