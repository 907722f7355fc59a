/** Copies and restores the files of claims and of nodes of a local cluster. */
export { copyClaimContents, findClaimFolder } from './claim-contents.ts'
export { copyNodeDisks } from './node-disks.ts'
