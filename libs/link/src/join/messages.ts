/** What a node says of itself when it registers, all of it made at its boot. */
export interface NodeOffer {
  nodeId: string;
  /** SPKI, base64url, of the Ed25519 key that it signs with from now on. */
  publicKey: string;
  /** The fingerprint of the certificate that it shows, when that is of its own making; null = it shows none, or a given one. */
  certificate: string | null;
}

/** A node's first words to a manager. */
export interface JoinRequest {
  /** JSON: the offer with the node's exchange key. */
  body: string;
  /** base64url: HMAC-SHA-256 over exactly these bytes, with a key that only who has the join token can derive. */
  proof: string;
}

/** A manager's answer to one request. */
export interface JoinAnswer {
  /** SPKI, base64url: X25519, for this answer alone. */
  exchangeKey: string;
  /** base64url: what the node is told, for its eyes only; proves the join token, and that it answers this request. */
  sealed: string;
}
