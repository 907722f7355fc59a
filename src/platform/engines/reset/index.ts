/** Captures the baseline of a cluster and resets the cluster to it. */
export { takeBaseline } from './baseline.ts'
export { createNodeControl, type NodeControl } from './create-node-control.ts'
export { createResetQueue } from './create-reset-queue.ts'
export { createResetter, type Resetter, type ResetterOptions } from './create-resetter.ts'
export type { ClaimContents, NodeDisks } from './reset-ports.ts'
export { createTouchedPods } from './touched-pods.ts'
