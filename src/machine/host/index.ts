/** What Linux and macOS have in common: the identity of processes, file locks, and whether processes can fork. */
export * from './can-fork.ts'
export { tryLock, whileLocked } from './file-lock.ts'
export * from './process-identity.ts'
