/** How a cluster was when it was ready, and the way back to that. */
export { takeBaseline } from './baseline.ts'
export { keepClaimContents, placeOfClaim } from './claim-contents.ts'
export { keepNodeDisks } from './node-disks.ts'
export { untilReady } from './readiness.ts'
export { resetCluster } from './reset-cluster.ts'
export { createTouchedPods } from './touched-pods.ts'
