export { Admission, type Admitted } from './admission';
export { FreshHandles } from './fresh-handles';
