/** The dependency rules of the layout: docs/architecture.md, "Layout". */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pure-libs-import-no-io',
      comment: 'rbac and rewriters are functions over plain data: no framework, no I/O, nothing from apps',
      severity: 'error',
      from: { path: '^libs/(rbac|rewriters)/src', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(apps|libs/(events|database|link|engine|sqladmin|policy-tests)|node_modules/(?!canonicalize))|^(fs|net|http|https|child_process|worker_threads|os|path)$',
      },
    },
    {
      name: 'sqladmin-imports-pure-libs-only',
      comment: 'sqladmin makes commands and rows of text; who loads the state and runs them is another matter',
      severity: 'error',
      from: { path: '^libs/sqladmin/src', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^(apps|libs/(events|database|link|engine|policy-tests)|node_modules/(?!chevrotain|@chevrotain))|^(fs|net|http|https|child_process|worker_threads|os|path)$',
      },
    },
    {
      name: 'events-import-rbac-only',
      severity: 'error',
      from: { path: '^libs/events/src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|libs/(rewriters|database|link|engine|sqladmin|policy-tests))' },
    },
    {
      name: 'database-imports-no-other-lib',
      comment: 'database gives a migrated PostgreSQL, whatever it is used for',
      severity: 'error',
      from: { path: '^libs/database/src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|libs/(?!database/))' },
    },
    {
      name: 'link-imports-no-other-lib',
      comment: 'link gives a connection whose two ends know each other, whatever is said over it',
      severity: 'error',
      from: { path: '^libs/link/src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|libs/(?!link/))' },
    },
    {
      name: 'engine-imports-pure-libs-only',
      comment: 'engine is DuckDB and the road of a statement on it, whoever serves it',
      severity: 'error',
      from: { path: '^libs/engine/src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|libs/(events|database|link|sqladmin|policy-tests))' },
    },
    {
      name: 'policy-tests-import-no-server',
      comment: 'policy tests run on the libraries that a node and a manager are made of, without either',
      severity: 'error',
      from: { path: '^libs/policy-tests/src', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|libs/(events|database|link))' },
    },
    {
      name: 'apps-do-not-import-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'features-meet-at-their-index',
      comment: 'inside an app a feature folder imports another feature only through its index.ts',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/$1/src/([^/]+)/.+', pathNot: '^apps/$1/src/($2/|[^/]+/index\\.ts$)' },
    },
    {
      name: 'no-orphans',
      comment: 'what is loaded by path only: programs, what is preloaded into one, and what jest runs around the specs',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: '\\.(d\\.ts|json)$|index\\.ts$|main\\.ts$|/end-with-parent\\.ts$|/stop-postgres\\.ts$',
      },
      to: {},
    },
    {
      name: 'not-to-dev-dep',
      severity: 'error',
      from: { path: '^(apps|libs)', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '@types' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
