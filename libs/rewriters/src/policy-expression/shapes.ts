/** How each class of a syntax tree's expressions may look in a policy. What is not listed here is refused. */
interface Shape {
  readonly types: ReadonlySet<string>;
  /** Fields that hold an expression, or a list of such. */
  readonly expressions: readonly string[];
  /** Fields that are looked at by themselves, or say nothing. */
  readonly others: readonly string[];
}

const shape = (types: string, expressions: string, others = ''): Shape => ({
  types: new Set(types.split(' ')),
  expressions: expressions.split(' ').filter((field) => field !== ''),
  others: others.split(' '),
});

export const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    CONSTANT: shape('VALUE_CONSTANT', '', 'value'),
    COLUMN_REF: shape('COLUMN_REF', '', 'column_names'),
    PARAMETER: shape('VALUE_PARAMETER', '', 'identifier'),
    COMPARISON: shape(
      'COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_LESSTHAN COMPARE_GREATERTHAN COMPARE_LESSTHANOREQUALTO COMPARE_GREATERTHANOREQUALTO COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM',
      'left right',
    ),
    CONJUNCTION: shape('CONJUNCTION_AND CONJUNCTION_OR', 'children'),
    BETWEEN: shape('COMPARE_BETWEEN', 'input lower upper'),
    CASE: shape('CASE_EXPR', 'else_expr', 'case_checks'),
    CAST: shape('OPERATOR_CAST', 'child', 'cast_type try_cast'),
    OPERATOR: shape(
      'OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_NOT OPERATOR_COALESCE COMPARE_IN COMPARE_NOT_IN ARRAY_EXTRACT ARRAY_SLICE STRUCT_EXTRACT',
      'children',
    ),
    FUNCTION: shape('FUNCTION', 'children', 'function_name schema catalog is_operator'),
    LAMBDA: shape('LAMBDA', 'expr', 'lhs'),
  }),
);

/** What else an author may try, in words. */
export const REFUSED_CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SUBQUERY: 'a policy holds no subquery, EXISTS or ANY',
    WINDOW: 'a policy holds no window function',
    STAR: 'a policy holds no * and no COLUMNS()',
    POSITIONAL_REFERENCE: 'a policy names columns, it does not count them',
    DEFAULT: 'DEFAULT is no value of a policy',
    COLLATE: 'a policy holds no COLLATE; lower() compares without case',
  }),
);

/**
 * Operators that the engine binds as calls of an unqualified function, which a macro could shadow, and these functions.
 */
export const OPERATOR_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['ARRAY_EXTRACT', 'array_extract'],
  ['ARRAY_SLICE', 'array_slice'],
  ['STRUCT_EXTRACT', 'struct_extract'],
]);
