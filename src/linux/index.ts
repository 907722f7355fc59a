/** The Linux kernel, as far as the local engine uses it and Node does not offer it. */
export * from './cgroups.ts'
export * from './child-reaper.ts'
export * from './libc.ts'
export * from './network-namespace.ts'
export * from './pipe.ts'
export * from './run-program.ts'
export * from './sockets.ts'
