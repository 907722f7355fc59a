/** Systems as data: reads a topology, proves it, and makes manifests, images and edges of it. */
export { defineTwinSystem } from './define-twin-system.ts'
export * from './edges.ts'
export { parseTopology } from './parse-topology.ts'
export { readTopology } from './read-topology.ts'
export { toImages } from './to-images.ts'
export { toManifests } from './to-manifests.ts'
