/** Public interface of a cluster with modelled pods. It loads no code for real processes, which shortens the start. */
export { createCluster, defaultNodes } from '#platform/kube/cluster'
export { createSimulatedRuntime, everydayImages } from '#platform/kube/runtimes/simulated'
