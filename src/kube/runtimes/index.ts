/** The container runtimes. */
export { fullImageName } from './image-name.ts'
export * from './oci/index.ts'
export * from './simulated/index.ts'
