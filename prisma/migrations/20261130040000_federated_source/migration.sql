-- CreateTable
CREATE TABLE "federated_source" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "tenant_db_id" UUID NOT NULL,
    "alias" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "description" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "federated_source_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "federated_source" ADD CONSTRAINT "federated_source_tenant_tenant_db_id_fkey" FOREIGN KEY ("tenant", "tenant_db_id") REFERENCES "tenant_db"("tenant", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "federated_source" ADD CONSTRAINT "federated_source_alias_check" CHECK ("alias" <> '');

-- Aliases are one whatever their case; the C collation makes that the same on every server.
CREATE UNIQUE INDEX "federated_source_alias_key" ON "federated_source" ("tenant_db_id", lower("alias" COLLATE "C"));
