/** Captures the baseline of a cluster and resets the cluster to it. */
export { takeBaseline } from './baseline.ts'
export { copyClaimContents, findClaimFolder } from './claim-contents.ts'
export { copyNodeDisks } from './node-disks.ts'
export { waitUntilReady } from './readiness.ts'
export { resetCluster } from './reset-cluster.ts'
export { createTouchedPods, type TouchedPods } from './touched-pods.ts'
