/** Reading JSON that the engine wrote: every step is checked, for what is not understood is refused. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function arrayOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
