/** Systems as data: parses and checks a topology, and derives its manifests, images and edges. */

export { defineTwinSystem } from './define-twin-system.ts'
export { drawTags } from './draw-tags.ts'
export * from './edges.ts'
export { readImpact } from './read-impact.ts'
