import { OptionalText, Text } from '../wire';

/** Characters of an expression as it is sent: it may hold comments and blanks, which its canonical form does not. */
const EXPRESSION_LIMIT = 8192;

export class CreateRowPolicyDto {
  @Text('Id of the role')
  roleId: string;

  @OptionalText('Catalog; * = every catalog of the tenant (default)')
  catalogName?: string | null;

  @OptionalText('Schema; * = every schema (default)')
  schemaName?: string | null;

  @OptionalText('Table; * = every table (default)')
  tableName?: string | null;

  @Text('The predicate that admits a row', EXPRESSION_LIMIT)
  predicateSql: string;
}

export class UpdateRowPolicyDto {
  @Text('Id of the policy')
  id: string;

  @Text('The predicate that admits a row', EXPRESSION_LIMIT)
  predicateSql: string;
}

export class RowPolicyIdDto {
  @Text('Id of the policy')
  id: string;
}

export class RowPoliciesOfRoleQuery {
  @Text('Id of the role')
  roleId: string;
}
