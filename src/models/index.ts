/** Language models: opened by name, recorded and replayed. */
export * from './addresses-in.ts'
export * from './keep-models.ts'
export * from './list-providers.ts'
export * from './open-model.ts'
export { parsePrice } from './prices.ts'
export * from './recording.ts'
export { REPLAY, replaying } from './replaying.ts'
