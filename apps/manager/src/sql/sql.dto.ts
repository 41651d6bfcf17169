import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import { OptionalText, OptionalWhole, Text } from '../wire';

/** Source: reference/api.md, "SQL door". */
export class SqlDto {
  @OptionalText('Tenant of the pool; a tenant user may leave it out')
  tenant?: string | null;

  @Text('Pool to run on')
  pool: string;

  /** Its length is the screen's to judge: `statement_too_large` says more than a validation error. */
  @ApiProperty({ type: String, description: 'One statement' })
  @IsString()
  sql: string;

  @OptionalText('A session of the caller, as POST /api/session gave it')
  session?: string | null;

  @ApiPropertyOptional({
    type: 'array',
    description: 'Values for ? or $1, $2, …: texts, numbers, booleans, null',
    items: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    nullable: true,
  })
  @IsOptional()
  @IsArray()
  parameters?: unknown[] | null;

  @OptionalWhole('Rows to answer at most; the pool may set a lower limit', 1, Number.MAX_SAFE_INTEGER)
  maxRows?: number | null;
}

/** Source: reference/api.md, "SQL door". */
export class SessionDto {
  @OptionalText('Tenant of the pool; a tenant user may leave it out')
  tenant?: string | null;

  @Text('Pool of the session')
  pool: string;
}
