-- CreateTable
CREATE TABLE "admitted_macro" (
    "id" UUID NOT NULL,
    "tenant" TEXT NOT NULL,
    "catalog_name" TEXT NOT NULL,
    "schema_name" TEXT NOT NULL,
    "macro_name" TEXT NOT NULL,
    "admitted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admitted_macro_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "admitted_macro" ADD CONSTRAINT "admitted_macro_tenant_fkey" FOREIGN KEY ("tenant") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "admitted_macro"
  ADD CONSTRAINT "admitted_macro_names_check" CHECK ("catalog_name" <> '' AND "schema_name" <> '' AND "macro_name" <> '');

-- Names are one whatever their case; the C collation makes that the same on every server.
CREATE UNIQUE INDEX "admitted_macro_name_key" ON "admitted_macro"
  ("tenant", lower("catalog_name" COLLATE "C"), lower("schema_name" COLLATE "C"), lower("macro_name" COLLATE "C"));
