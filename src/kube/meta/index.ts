/** The vocabulary of every API object: metadata, errors, selectors, quantities, names. */
export * from './api-error.ts'
export * from './compare-versions.ts'
export * from './condition.ts'
export * from './field-error.ts'
export * from './field-selector.ts'
export {
  hasLabels,
  type LabelMatcher,
  type Labels,
  matcherOf,
  meetsRequirement,
  selectorText,
} from './label-selector.ts'
export * from './names.ts'
export * from './object.ts'
export * from './owner.ts'
export * from './parse-label-selector.ts'
export * from './quantity.ts'
export * from './time.ts'
