/** A network, hosts and volumes in memory, for tests of simulated programs. */
export * from './simulated-twins.ts'
export * from './test-files.ts'
export * from './test-hosts.ts'
