export { administer, type Administered } from './administration';
export { checkedExpression } from './checked-expression';
export {
  admit,
  type Admitted,
  changed,
  idOf,
  newWorld,
  type PolicyWorld,
  rootAdmitted,
  withSecureView,
} from './policy-world';
