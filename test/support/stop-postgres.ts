/** Stops what `startPostgres` started; its guard removes the data. */
export default async function stopPostgres(): Promise<void> {
  await globalThis.gadwallTestServer?.stop();
}
