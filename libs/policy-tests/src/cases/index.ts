export { type Expectation, type PolicyCase, type Step, type Tag, TAGS, titleOf } from './policy-case';
export { readTestFile } from './read-test-file';
