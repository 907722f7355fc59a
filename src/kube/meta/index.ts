/** The vocabulary of every API object: metadata, errors, selectors, quantities, names. */
export * from './api-error.ts'
export * from './field-error.ts'
export * from './object.ts'
