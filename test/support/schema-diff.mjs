// Prints the SQL that is missing between prisma/migrations and prisma/schema.prisma, by Prisma's own schema engine in its
// WebAssembly build (the native one is a download of its own); nothing when they agree.
//   node schema-diff.mjs ADMIN_URL: of a server where the engine may make and drop its shadow database
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

const CHAR_OID = 18; // PostgreSQL's internal one-byte "char", which its catalogs are full of
const TEXT_OID = 25;
const prisma = join(dirname(fileURLToPath(import.meta.url)), '../../prisma');
const url = new URL(process.argv[2] ?? '');

const wasm = createRequire(import.meta.url)
  .resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  .replace(/js$/, 'wasm');
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), { './schema_engine_bg.js': engine });
engine.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

/** Three corrections to the adapter: it has no "char", splits scripts at every `;`, and drops a database it is connected to. */
function corrected(connection) {
  const io = connection.performIO.bind(connection);
  let chars = [];
  connection.performIO = async (query) => {
    const result = await io(query);
    chars = result.fields.flatMap((field, i) => (field.dataTypeID === CHAR_OID ? [i] : []));
    for (const i of chars) result.fields[i].dataTypeID = TEXT_OID;
    return result;
  };
  const raw = connection.queryRaw.bind(connection);
  connection.queryRaw = async (query) => {
    const rows = await raw(query);
    for (const i of chars) rows.columnTypes[i] = ColumnTypeEnum.Character;
    return rows;
  };
  if (connection.startTransaction) {
    const start = connection.startTransaction.bind(connection);
    connection.startTransaction = async (...options) => corrected(await start(...options));
    connection.executeScript = async (script) => void (await connection.client.query(script));
  }
  return connection;
}

const connect = async (database) => {
  const { hostname: host, port, username: user, password } = url;
  return corrected(await new PrismaPg({ host, port: Number(port), user, password, database, max: 1 }).connect());
};
const factory = {
  provider: 'postgres',
  adapterName: '@prisma/adapter-pg',
  connect: () => connect(url.pathname.slice(1)),
  async connectToShadowDb() {
    const name = `shadow_${randomUUID()}`;
    const main = await connect(url.pathname.slice(1));
    await main.executeScript(`CREATE DATABASE "${name}"`);
    const shadow = await connect(name);
    const dispose = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      await dispose();
      await main.executeScript(`DROP DATABASE "${name}" WITH (FORCE)`);
      await main.dispose();
    };
    return shadow;
  },
};

const file = (path) => ({ path, content: readFileSync(path, 'utf8') });
const migrations = readdirSync(join(prisma, 'migrations'), { withFileTypes: true }).filter((entry) =>
  entry.isDirectory(),
);
const { SchemaEngine } = engine;
const schemaEngine = await SchemaEngine.new({}, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
const { stdout } = await schemaEngine.diff({
  from: {
    tag: 'migrations',
    baseDir: join(prisma, 'migrations'),
    lockfile: file(join(prisma, 'migrations/migration_lock.toml')),
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name }) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: file(join(prisma, 'migrations', name, 'migration.sql')).content },
      },
    })),
  },
  to: { tag: 'schemaDatamodel', files: [file(process.argv[3] ?? join(prisma, 'schema.prisma'))] },
  script: true,
  exitCode: true,
  shadowDatabaseUrl: null,
  filters: { externalTables: [], externalEnums: [] },
});
if (!stdout.includes('This is an empty migration')) console.log(stdout.trim());
process.exit(0);
