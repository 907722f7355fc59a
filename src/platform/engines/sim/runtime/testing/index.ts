/** Public interface for tests of other rooms: a cluster whose containers run programs. */
export * from './create-sim-cluster.ts'
