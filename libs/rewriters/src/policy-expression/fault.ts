/** Why the text of a policy is not taken: the rule that it breaks, in words for its author (`invalid_policy`). */
export class PolicyFault extends Error {}
