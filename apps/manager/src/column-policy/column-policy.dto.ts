import { OptionalText, Text } from '../wire';

/** Characters of an expression as it is sent: it may hold comments and blanks, which its canonical form does not. */
const EXPRESSION_LIMIT = 8192;

export class CreateColumnPolicyDto {
  @Text('Id of the role')
  roleId: string;

  @OptionalText('Catalog; * = every catalog of the tenant (default)')
  catalogName?: string | null;

  @OptionalText('Schema; * = every schema (default)')
  schemaName?: string | null;

  @OptionalText('Table; * = every table (default)')
  tableName?: string | null;

  @Text('Column; no *')
  columnName: string;

  @Text('deny or mask')
  action: string;

  @OptionalText('Of a mask: the expression that is shown instead', EXPRESSION_LIMIT)
  transformSql?: string | null;
}

export class UpdateColumnPolicyDto {
  @Text('Id of the policy')
  id: string;

  @Text('deny or mask')
  action: string;

  @OptionalText('Of a mask: the expression that is shown instead', EXPRESSION_LIMIT)
  transformSql?: string | null;
}

export class ColumnPolicyIdDto {
  @Text('Id of the policy')
  id: string;
}

export class ColumnPoliciesOfRoleQuery {
  @Text('Id of the role')
  roleId: string;
}
