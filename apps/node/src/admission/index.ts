export { Admission, type Admitted } from './admission';
