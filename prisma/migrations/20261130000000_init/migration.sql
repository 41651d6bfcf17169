-- CreateTable
CREATE TABLE "stream" (
    "tenant" TEXT NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 0,
    "head_hash" TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000',

    CONSTRAINT "stream_pkey" PRIMARY KEY ("tenant")
);

-- CreateTable
CREATE TABLE "event" (
    "position" BIGSERIAL NOT NULL,
    "tenant" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "schema" INTEGER NOT NULL,
    "data" TEXT NOT NULL,
    "actor" TEXT,
    "actor_kind" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "causation_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("tenant","version")
);

-- CreateTable
CREATE TABLE "tenant" (
    "id" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "auth_provider" TEXT NOT NULL DEFAULT 'db',
    "auth_config" JSONB,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "acl_mode" TEXT NOT NULL DEFAULT 'grants',
    "interrupt_on_revoke" BOOLEAN NOT NULL DEFAULT false,
    "policy_version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tenant_db" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "default_database" TEXT,
    "default_schema" TEXT,
    "data_path" TEXT,
    "metastore" JSONB,
    "object_store" JSONB,
    "init_sql" TEXT,
    "read_only" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tenant_db_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pool" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "tenant_db_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 1,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "idle_timeout_sec" INTEGER,
    "max_concurrent_per_node" INTEGER,
    "statement_timeout_ms" INTEGER,
    "max_rows" BIGINT,
    "init_sql" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pool_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_user" (
    "id" UUID NOT NULL,
    "tenant" TEXT,
    "kind" TEXT NOT NULL DEFAULT 'user',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "must_change_password" BOOLEAN NOT NULL DEFAULT false,
    "profile_version" INTEGER NOT NULL DEFAULT 1,
    "credential_version" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "app_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "role" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "builtin" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_group" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "builtin" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "app_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "role_permission" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "role_id" UUID NOT NULL,
    "effect" TEXT NOT NULL DEFAULT 'allow',
    "catalog_name" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "table_name" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_permission_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pool_permission" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "pool_id" UUID,
    "user_id" UUID,
    "group_id" UUID,
    "granted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pool_permission_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_role" (
    "tenant" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "role_id" UUID NOT NULL,

    CONSTRAINT "user_role_pkey" PRIMARY KEY ("tenant","user_id","role_id")
);

-- CreateTable
CREATE TABLE "user_group" (
    "tenant" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,

    CONSTRAINT "user_group_pkey" PRIMARY KEY ("tenant","user_id","group_id")
);

-- CreateTable
CREATE TABLE "group_role" (
    "tenant" TEXT NOT NULL,
    "group_id" UUID NOT NULL,
    "role_id" UUID NOT NULL,

    CONSTRAINT "group_role_pkey" PRIMARY KEY ("tenant","group_id","role_id")
);

-- CreateTable
CREATE TABLE "user_profile" (
    "user_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "tenant" TEXT,
    "username" TEXT NOT NULL,
    "email" TEXT,
    "current" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "user_profile_pkey" PRIMARY KEY ("user_id","version")
);

-- CreateTable
CREATE TABLE "user_credential" (
    "user_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_credential_pkey" PRIMARY KEY ("user_id","version")
);

-- CreateTable
CREATE TABLE "session" (
    "id" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" UUID NOT NULL,
    "ts" TIMESTAMPTZ(3) NOT NULL,
    "family" TEXT NOT NULL,
    "actor" TEXT,
    "tenant" TEXT,
    "action" TEXT NOT NULL,
    "target" TEXT,
    "outcome" TEXT NOT NULL,
    "detail" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "event_position_key" ON "event"("position");

-- CreateIndex
CREATE UNIQUE INDEX "event_id_key" ON "event"("id");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_db_data_path_key" ON "tenant_db"("data_path");

-- CreateIndex
CREATE UNIQUE INDEX "tenant_db_tenant_id_key" ON "tenant_db"("tenant", "id");

-- CreateIndex
CREATE INDEX "pool_tenant_db_id_idx" ON "pool"("tenant_db_id");

-- CreateIndex
CREATE UNIQUE INDEX "pool_tenant_id_key" ON "pool"("tenant", "id");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_tenant_id_key" ON "app_user"("tenant", "id");

-- CreateIndex
CREATE UNIQUE INDEX "role_tenant_id_key" ON "role"("tenant", "id");

-- CreateIndex
CREATE UNIQUE INDEX "app_group_tenant_id_key" ON "app_group"("tenant", "id");

-- CreateIndex
CREATE INDEX "role_permission_tenant_role_id_idx" ON "role_permission"("tenant", "role_id");

-- CreateIndex
CREATE UNIQUE INDEX "role_permission_role_id_effect_catalog_name_schema_name_tab_key" ON "role_permission"("role_id", "effect", "catalog_name", "schema_name", "table_name", "verb");

-- CreateIndex
CREATE INDEX "pool_permission_tenant_pool_id_idx" ON "pool_permission"("tenant", "pool_id");

-- CreateIndex
CREATE INDEX "pool_permission_tenant_user_id_idx" ON "pool_permission"("tenant", "user_id");

-- CreateIndex
CREATE INDEX "pool_permission_tenant_group_id_idx" ON "pool_permission"("tenant", "group_id");

-- CreateIndex
CREATE INDEX "user_role_tenant_role_id_idx" ON "user_role"("tenant", "role_id");

-- CreateIndex
CREATE INDEX "user_group_tenant_group_id_idx" ON "user_group"("tenant", "group_id");

-- CreateIndex
CREATE INDEX "group_role_tenant_role_id_idx" ON "group_role"("tenant", "role_id");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "audit_ts_id_idx" ON "audit"("ts", "id");

-- CreateIndex
CREATE INDEX "audit_tenant_ts_idx" ON "audit"("tenant", "ts");

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "stream"("tenant") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tenant_db" ADD CONSTRAINT "tenant_db_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool" ADD CONSTRAINT "pool_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool" ADD CONSTRAINT "pool_tenant_tenant_db_id_fkey" FOREIGN KEY ("tenant", "tenant_db_id") REFERENCES "tenant_db"("tenant", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_user" ADD CONSTRAINT "app_user_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role" ADD CONSTRAINT "role_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app_group" ADD CONSTRAINT "app_group_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_permission" ADD CONSTRAINT "role_permission_tenant_role_id_fkey" FOREIGN KEY ("tenant", "role_id") REFERENCES "role"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool_permission" ADD CONSTRAINT "pool_permission_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool_permission" ADD CONSTRAINT "pool_permission_tenant_pool_id_fkey" FOREIGN KEY ("tenant", "pool_id") REFERENCES "pool"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool_permission" ADD CONSTRAINT "pool_permission_tenant_user_id_fkey" FOREIGN KEY ("tenant", "user_id") REFERENCES "app_user"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pool_permission" ADD CONSTRAINT "pool_permission_tenant_group_id_fkey" FOREIGN KEY ("tenant", "group_id") REFERENCES "app_group"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_role" ADD CONSTRAINT "user_role_tenant_user_id_fkey" FOREIGN KEY ("tenant", "user_id") REFERENCES "app_user"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_role" ADD CONSTRAINT "user_role_tenant_role_id_fkey" FOREIGN KEY ("tenant", "role_id") REFERENCES "role"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group" ADD CONSTRAINT "user_group_tenant_user_id_fkey" FOREIGN KEY ("tenant", "user_id") REFERENCES "app_user"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group" ADD CONSTRAINT "user_group_tenant_group_id_fkey" FOREIGN KEY ("tenant", "group_id") REFERENCES "app_group"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_role" ADD CONSTRAINT "group_role_tenant_group_id_fkey" FOREIGN KEY ("tenant", "group_id") REFERENCES "app_group"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_role" ADD CONSTRAINT "group_role_tenant_role_id_fkey" FOREIGN KEY ("tenant", "role_id") REFERENCES "role"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Log: shapes, append-only, versions that only rise.
ALTER TABLE "stream"
  ADD CONSTRAINT "stream_version_check" CHECK ("version" >= 0),
  ADD CONSTRAINT "stream_head_hash_check" CHECK ("head_hash" ~ '^[0-9a-f]{64}$');

ALTER TABLE "event"
  ADD CONSTRAINT "event_version_check" CHECK ("version" > 0),
  ADD CONSTRAINT "event_type_check" CHECK ("type" <> ''),
  ADD CONSTRAINT "event_schema_check" CHECK ("schema" > 0),
  -- json, not jsonb: that one refuses \u0000, which is a legal character of JSON
  ADD CONSTRAINT "event_data_check" CHECK (json_typeof("data"::json) = 'object'),
  ADD CONSTRAINT "event_actor_kind_check" CHECK ("actor_kind" IN ('superuser', 'user', 'api-key', 'system')),
  ADD CONSTRAINT "event_hash_check" CHECK ("hash" ~ '^[0-9a-f]{64}$' AND "prev_hash" ~ '^[0-9a-f]{64}$');

CREATE FUNCTION "event_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the event log is append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "event_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "event"
  FOR EACH STATEMENT EXECUTE FUNCTION "event_is_append_only"();

CREATE FUNCTION "stream_version_only_rises"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' OR NEW."version" < OLD."version" OR NEW."tenant" <> OLD."tenant" THEN
    RAISE EXCEPTION 'a stream is never removed and its version only rises' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "stream_version_only_rises" BEFORE UPDATE OR DELETE ON "stream"
  FOR EACH ROW EXECUTE FUNCTION "stream_version_only_rises"();

CREATE TRIGGER "stream_is_never_emptied" BEFORE TRUNCATE ON "stream"
  FOR EACH STATEMENT EXECUTE FUNCTION "event_is_append_only"();

INSERT INTO "stream" ("tenant") VALUES ('$system');

-- Derived: values. `$` starts the names of streams that are no tenants.
ALTER TABLE "tenant"
  ADD CONSTRAINT "tenant_id_check" CHECK ("id" <> '' AND "id" NOT LIKE '$%'),
  ADD CONSTRAINT "tenant_auth_provider_check" CHECK ("auth_provider" IN ('db', 'keycloak', 'google', 'azure', 'aws')),
  ADD CONSTRAINT "tenant_acl_mode_check" CHECK ("acl_mode" IN ('grants', 'opa', 'cel')),
  ADD CONSTRAINT "tenant_policy_version_check" CHECK ("policy_version" >= 0);

ALTER TABLE "tenant_db"
  ADD CONSTRAINT "tenant_db_name_check" CHECK ("name" <> ''),
  ADD CONSTRAINT "tenant_db_kind_check" CHECK ("kind" IN ('duckdb-file', 'memory', 'ducklake'));

ALTER TABLE "pool"
  ADD CONSTRAINT "pool_name_check" CHECK ("name" <> ''),
  ADD CONSTRAINT "pool_size_check" CHECK ("size" >= 0),
  ADD CONSTRAINT "pool_limits_check" CHECK ("idle_timeout_sec" >= 0 AND "max_concurrent_per_node" > 0
    AND "statement_timeout_ms" > 0 AND "max_rows" >= 0);

ALTER TABLE "app_user" ADD CONSTRAINT "app_user_kind_check" CHECK ("kind" IN ('user', 'admin'));
ALTER TABLE "role" ADD CONSTRAINT "role_name_check" CHECK ("name" <> '');
ALTER TABLE "app_group" ADD CONSTRAINT "app_group_name_check" CHECK ("name" <> '');

ALTER TABLE "role_permission"
  ADD CONSTRAINT "role_permission_effect_check" CHECK ("effect" IN ('allow', 'deny')),
  ADD CONSTRAINT "role_permission_verb_check" CHECK ("verb" IN ('RO', 'RW', 'DDL', 'ALL')),
  ADD CONSTRAINT "role_permission_names_check" CHECK ("catalog_name" <> '' AND "schema_name" <> '' AND "table_name" <> '');

ALTER TABLE "pool_permission"
  ADD CONSTRAINT "pool_permission_holder_check" CHECK (num_nonnulls("user_id", "group_id") = 1);

-- Names are one whatever their case; the C collation makes that the same on every server.
CREATE UNIQUE INDEX "tenant_db_tenant_name_key" ON "tenant_db" ("tenant", lower("name" COLLATE "C"));
CREATE UNIQUE INDEX "pool_tenant_name_key" ON "pool" ("tenant", lower("name" COLLATE "C"));
CREATE UNIQUE INDEX "role_tenant_name_key" ON "role" ("tenant", lower("name" COLLATE "C"));
CREATE UNIQUE INDEX "app_group_tenant_name_key" ON "app_group" ("tenant", lower("name" COLLATE "C"));

CREATE UNIQUE INDEX "pool_permission_holder_key" ON "pool_permission" ("tenant", "pool_id", "user_id", "group_id")
  NULLS NOT DISTINCT;
CREATE INDEX "app_user_superuser_idx" ON "app_user" ("id") WHERE "tenant" IS NULL;

-- Side.
ALTER TABLE "user_profile" ADD CONSTRAINT "user_profile_username_check" CHECK ("username" <> '');
CREATE UNIQUE INDEX "user_profile_current_username_key" ON "user_profile" ("tenant", "username") NULLS NOT DISTINCT
  WHERE "current";
CREATE UNIQUE INDEX "user_profile_current_key" ON "user_profile" ("user_id") WHERE "current";
