-- CreateTable
CREATE TABLE "secure_view" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "catalog_name" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "view_name" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "column_names" JSONB NOT NULL,
    "bases" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "secure_view_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "secure_view" ADD CONSTRAINT "secure_view_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "secure_view"
  ADD CONSTRAINT "secure_view_names_check" CHECK ("catalog_name" <> '' AND "schema_name" <> '' AND "view_name" <> '');

-- Names are one whatever their case; the C collation makes that the same on every server.
CREATE UNIQUE INDEX "secure_view_name_key" ON "secure_view"
  ("tenant", lower("catalog_name" COLLATE "C"), lower("schema_name" COLLATE "C"), lower("view_name" COLLATE "C"));
