/*
 * Loaded into the manager before its own program. Whoever started it holds the other end of this channel, which the kernel closes
 * however that process ended: the manager then stops in order, and with it the nodes and PostgreSQL.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep a manager alive that has stopped.
process.channel?.unref();
