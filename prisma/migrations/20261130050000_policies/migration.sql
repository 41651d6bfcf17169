-- CreateTable
CREATE TABLE "role_column_policy" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "role_id" UUID NOT NULL,
    "catalog_name" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "table_name" TEXT NOT NULL,
    "column_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "transform_sql" TEXT,
    "canonical_sql" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_column_policy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "role_row_policy" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "role_id" UUID NOT NULL,
    "catalog_name" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "table_name" TEXT NOT NULL,
    "predicate_sql" TEXT NOT NULL,
    "canonical_sql" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "role_row_policy_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "role_column_policy_tenant_role_id_idx" ON "role_column_policy"("tenant", "role_id");

-- CreateIndex
CREATE INDEX "role_row_policy_tenant_role_id_idx" ON "role_row_policy"("tenant", "role_id");

-- AddForeignKey
ALTER TABLE "role_column_policy" ADD CONSTRAINT "role_column_policy_tenant_role_id_fkey" FOREIGN KEY ("tenant", "role_id") REFERENCES "role"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_row_policy" ADD CONSTRAINT "role_row_policy_tenant_role_id_fkey" FOREIGN KEY ("tenant", "role_id") REFERENCES "role"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "role_column_policy"
  ADD CONSTRAINT "role_column_policy_names_check" CHECK (
    "catalog_name" <> '' AND "schema_name" <> '' AND "table_name" <> '' AND "column_name" <> '' AND "column_name" <> '*'
  ),
  ADD CONSTRAINT "role_column_policy_rule_check" CHECK (
    ("action" = 'deny' AND "transform_sql" IS NULL AND "canonical_sql" IS NULL)
    OR ("action" = 'mask' AND "transform_sql" IS NOT NULL AND "canonical_sql" IS NOT NULL)
  );

ALTER TABLE "role_row_policy"
  ADD CONSTRAINT "role_row_policy_names_check" CHECK ("catalog_name" <> '' AND "schema_name" <> '' AND "table_name" <> '');

-- Names are one whatever their case; the C collation makes that the same on every server.
CREATE UNIQUE INDEX "role_column_policy_tuple_key" ON "role_column_policy"
  ("role_id", lower("catalog_name" COLLATE "C"), lower("schema_name" COLLATE "C"), lower("table_name" COLLATE "C"),
   lower("column_name" COLLATE "C"));
CREATE UNIQUE INDEX "role_row_policy_tuple_key" ON "role_row_policy"
  ("role_id", lower("catalog_name" COLLATE "C"), lower("schema_name" COLLATE "C"), lower("table_name" COLLATE "C"));
