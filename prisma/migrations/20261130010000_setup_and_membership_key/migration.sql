/*
  Warnings:

  - You are about to drop the column `init_sql` on the `pool` table. All the data in the column will be lost.
  - You are about to drop the column `auth_config` on the `tenant` table. All the data in the column will be lost.
  - You are about to drop the column `init_sql` on the `tenant_db` table. All the data in the column will be lost.
  - You are about to drop the column `metastore` on the `tenant_db` table. All the data in the column will be lost.
  - You are about to drop the column `object_store` on the `tenant_db` table. All the data in the column will be lost.

*/
-- AlterTable
ALTER TABLE "app_user" ADD COLUMN     "membership_key" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "pool" DROP COLUMN "init_sql",
ADD COLUMN     "setup_version" INTEGER,
ADD COLUMN     "stopped" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "tenant" DROP COLUMN "auth_config";

-- AlterTable
ALTER TABLE "tenant_db" DROP COLUMN "init_sql",
DROP COLUMN "metastore",
DROP COLUMN "object_store",
ADD COLUMN     "setup_version" INTEGER;

-- CreateTable
CREATE TABLE "node_setup" (
    "owner" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "init_sql" TEXT,
    "metastore" JSONB,
    "object_store" JSONB,

    CONSTRAINT "node_setup_pkey" PRIMARY KEY ("owner","version")
);

-- CreateIndex
CREATE INDEX "app_user_tenant_membership_key_id_idx" ON "app_user"("tenant", "membership_key", "id");
