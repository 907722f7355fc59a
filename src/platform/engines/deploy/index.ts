/** Deploys a system on a cluster of any engine, and waits until it is ready. */
export { applySystem } from './apply-system.ts'
export { imagesInUse } from './images-in-use.ts'
export { titleOf } from './title-of.ts'
export { isPodReady, listPending, waitUntilReady } from './wait-until-ready.ts'
