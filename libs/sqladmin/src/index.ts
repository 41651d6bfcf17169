/**
 * The SQL administration dialect. Of a text:
 *
 * 1. {@link isAdministration} tells whether it is one of the dialect's statements, by its first words;
 * 2. {@link parseAdministration} makes it an `AdminStatement`, plain data, or throws `AdminSyntaxError`;
 * 3. the caller fills a `Directory` with what the statement's names stand for ({@link accountsOf} says which accounts);
 * 4. {@link commandsOf} gives the commands of one that changes policy, its expression ({@link expressionOf}) having been
 *    checked; {@link showRows} the rows of one that shows it ({@link isShow}).
 *
 * A statement may hold a password: neither it nor its text belongs in a log.
 */
export { isAdministration } from './recognise';
export { parseAdministration } from './parse';
export * from './statement';
export { AdminSyntaxError, type Place } from './syntax-error';
export { type Account, accountsOf, type AccountsNeeded, type Directory } from './directory';
export { commandsOf } from './commands';
export { expressionOf } from './policies';
export { summaryOf } from './summary';
export { type Listing, type ListingColumn, showRows } from './rows';
