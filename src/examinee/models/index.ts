/** Language models: opens them by name, records and replays their calls. */

export * from './create-model-cache.ts'
export * from './find-addresses.ts'
export * from './list-providers.ts'
export * from './open-model.ts'
export { costOf, findPrice, type Price, parsePrice } from './prices.ts'
export * from './record-calls.ts'
export { REPLAY, replayCalls } from './replay-calls.ts'
export { toTextRequest } from './tools-as-text.ts'
