export { administer, type Administered } from './administration';
export { admit, type Admitted, changed, idOf, newWorld, type PolicyWorld, rootAdmitted } from './policy-world';
