import {
  arrayOf,
  canonicalPlan,
  isObject,
  Json,
  JsonObject,
  outline,
  PlanAccesses,
  planAccesses,
  PlanTemplate,
  Proof,
  queryNames,
  QueryNames,
  readTemplate,
  type Seals,
  stringOf,
  Verified,
  verify,
  withoutSealed,
} from '@gadwall/rewriters';

/** An error that the engine gave in the place of a plan or a tree. */
export interface EngineRefusal {
  error: { type: string; message: string };
}

export type ReadPlan = { plan: PlanAccesses } | EngineRefusal;
/** `shown` is the outline of the plan. */
export type ReadGoverned = { verified: Verified; shown: string } | EngineRefusal;
export type ReadTemplate = { template: PlanTemplate } | EngineRefusal;
export type ReadTree = { names: QueryNames } | EngineRefusal;
/** The plan of a listing, as `canonicalPlan` writes it. */
export type ReadListing = { listing: string } | EngineRefusal;
/** Likewise of a secure view, and what it touches. */
export type ReadSealed = { sealed: string; plan: PlanAccesses } | EngineRefusal;
export type Reading = ReadListing | ReadSealed | ReadPlan | ReadGoverned | ReadTemplate | ReadTree;

/** How each kind of JSON that the engine writes is read, and what it is held against. */
export const READERS = {
  plan: readPlan,
  governed: readGoverned,
  template: readPlanTemplate,
  listing: readListing,
  sealed: readSealed,
  tree: readTree,
};

/** The reader of a kind, whatever it takes. */
export function readerOf(kind: keyof typeof READERS): (text: string, ...given: unknown[]) => Reading {
  return READERS[kind] as (text: string, ...given: unknown[]) => Reading;
}

/** What a reader takes beside the text. */
export type Given<K extends keyof typeof READERS> =
  Parameters<(typeof READERS)[K]> extends [string, infer G] ? [G] : [];

/** What `json_serialize_plan` gave: exactly one plan, or an error. `seals` null: no secure view is read in it. */
function readPlan(text: string, seals: Seals | null): ReadPlan {
  const read = onePlan(text);
  if ('error' in read) return read;
  return { plan: planAccesses(seals ? withoutSealed(read.root, seals) : read.root) };
}

function readGoverned(text: string, proof: Proof): ReadGoverned {
  if (!marksAreConstants(text, proof.nonce)) return { error: { type: '', message: 'a mark in a name' } };
  const read = onePlan(text);
  return 'error' in read ? read : { verified: verify(read.root, proof), shown: outline(read.root, proof) };
}

/** In a name a mark would be shown. The text of the statement goes along in some plans, and is kept nowhere. */
function marksAreConstants(text: string, nonce: string): boolean {
  const sql = text.includes('"sql":"') ? text.replace(/"sql":"(?:[^"\\]|\\.)*"/g, '') : text;
  for (let at = sql.indexOf(nonce); at >= 0; at = sql.indexOf(nonce, at + 1)) {
    const [colon, kind, quote] = sql.slice(at + nonce.length, at + nonce.length + 3);
    if (colon !== ':' || quote !== '"' || !'rmws'.includes(kind ?? '-')) return false;
  }
  return true;
}

function readPlanTemplate(text: string, about: Parameters<typeof readTemplate>[1]): ReadTemplate {
  const read = onePlan(text);
  const template = 'error' in read ? null : readTemplate(read.root, about);
  return template ? { template } : { error: { type: '', message: 'not the plan of a template' } };
}

/** Of `SELECT * FROM <listing>`. */
function readListing(text: string, nonce: string): ReadListing {
  const read = onePlan(text);
  const [listing] = 'error' in read ? [] : arrayOf(read.root.children).filter(isObject);
  return listing ? { listing: canonicalPlan(listing, nonce) } : { error: { type: '', message: 'not one listing' } };
}

/** Of `SELECT * FROM <secure view>`. */
function readSealed(text: string, nonce: string): ReadSealed {
  const read = onePlan(text);
  if ('error' in read) return read;
  const [sealed] = arrayOf(read.root.children).filter(isObject);
  if (!sealed) return { error: { type: '', message: 'not one relation' } };
  return { sealed: canonicalPlan(sealed, nonce), plan: planAccesses(read.root) };
}

function onePlan(text: string): { root: JsonObject } | EngineRefusal {
  const json = JSON.parse(text) as Json;
  if (!isObject(json) || json.error !== false) return refusal(json);
  const plans = arrayOf(json.plans);
  const [root] = plans;
  return plans.length === 1 && isObject(root) ? { root } : { error: { type: '', message: 'not one plan' } };
}

/** What `json_serialize_sql` gave. */
function readTree(text: string): ReadTree {
  const json = JSON.parse(text) as Json;
  if (!isObject(json) || json.error !== false) return refusal(json);
  return { names: queryNames(json.statements ?? null) };
}

function refusal(json: Json): EngineRefusal {
  const { error_type: type, error_message: message } = isObject(json) ? json : {};
  return { error: { type: stringOf(type), message: stringOf(message) } };
}
