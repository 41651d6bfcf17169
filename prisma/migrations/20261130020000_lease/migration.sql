-- CreateTable
CREATE TABLE "lease" (
    "node_id" TEXT NOT NULL,
    "streams" TEXT[],
    "counter" BIGSERIAL NOT NULL,
    "known" JSONB NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("node_id")
);
