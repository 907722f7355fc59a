/** Public interface of the effects of network faults on packets, computed without sending any. */
export * from './packet-effects.ts'
export * from './peer-range.ts'
