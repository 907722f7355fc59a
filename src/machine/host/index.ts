/** What Linux and macOS have in common: the identity of processes, and file locks. */
export * from './can-fork.ts'
export { tryLock, whileLocked } from './file-lock.ts'
export * from './process-identity.ts'
