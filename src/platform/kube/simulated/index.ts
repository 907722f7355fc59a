/** Public interface of a cluster with simulated pods. Loads no code for real processes, to start faster. */
export { createCluster, defaultNodes } from '#platform/kube/cluster'
export { createSimulatedRuntime, everydayImages } from '#platform/kube/runtimes/simulated'
