/** Clock, randomness and other tools that know nothing of Kubernetes. */
export * from './clock.ts'
export * from './json.ts'
export * from './lazily.ts'
export * from './member.ts'
export * from './random.ts'
export * from './real-clock.ts'
export * from './virtual-clock.ts'
export * from './yaml-library.ts'
