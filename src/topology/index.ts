/** Systems as data: reads a topology, proves it, and makes manifests, images and edges of it. */
export { defineTwinSystem } from './define-twin-system.ts'
export * from './edges.ts'
export { readImpact } from './read-impact.ts'
