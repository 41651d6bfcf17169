import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Logger } from 'nestjs-pino';
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { AppModule } from './app.module';
import { Authentication, installAuthentication } from './auth';
import { MANAGER_VERSION, type ManagerConfig } from './config';
import { ErrorFilter } from './errors';
import type { OpenDatabase } from './postgres';
import type { Watchdog } from './supervisor';
import { limitNesting, requestValidation } from './wire';

const BODY_LIMIT = 8 * 1024 * 1024;
/** How long answers that are on their way may take when the manager ends, ms. */
const SEND_LIMIT_MS = 5000;

/** The manager as an application on an open, migrated database that it closes when it ends; not listening yet. */
export async function createManager(
  config: ManagerConfig,
  database: OpenDatabase,
  watchdog: Watchdog | null = null,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    // A client's own id would go into events and logs.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    // A door streams to slow readers: only the headers have to come in time.
    connectionTimeout: 0,
    forceCloseConnections: 'idle',
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(config, database, watchdog), adapter, {
    bufferLogs: true,
  });
  app.useLogger(app.get(Logger));
  app.useGlobalPipes(requestValidation());
  app.useGlobalFilters(new ErrorFilter());
  app.enableShutdownHooks();
  installAuthentication(app.getHttpAdapter().getInstance(), app.get(Authentication));
  limitNesting(app.getHttpAdapter().getInstance());
  closeIdleWhileEnding(app.getHttpAdapter().getInstance());
  documentApi(app);
  return app;
}

/**
 * An answer that is on its way when the server closes is sent to its end, a slow reader's within a limit; its connection, kept
 * alive after that, would hold the server open.
 */
function closeIdleWhileEnding(http: FastifyInstance): void {
  http.addHook('preClose', (done) => {
    const until = performance.now() + SEND_LIMIT_MS;
    const closing = setInterval(() => {
      if (performance.now() < until) http.server.closeIdleConnections();
      else http.server.closeAllConnections();
    }, 50);
    http.server.once('close', () => clearInterval(closing));
    done();
  });
}

/** OpenAPI at /api/docs and /api/docs-json. */
function documentApi(app: NestFastifyApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Gadwall')
    .setDescription('Administration of tenants, databases, pools, users, roles, groups and grants')
    .setVersion(MANAGER_VERSION)
    .addApiKey({ type: 'apiKey', name: 'X-API-Key', in: 'header' }, 'X-API-Key')
    .addBearerAuth()
    .addSecurityRequirements('X-API-Key')
    .build();
  SwaggerModule.setup('api/docs', app, () => SwaggerModule.createDocument(app, description), {
    jsonDocumentUrl: 'api/docs-json',
    yamlDocumentUrl: undefined,
  });
}
