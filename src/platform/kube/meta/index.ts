/** Metadata, API errors, selectors, quantities and names: the parts that all API objects share. */
export * from './api-error.ts'
export * from './compare-versions.ts'
export * from './condition.ts'
export * from './field-error.ts'
export * from './field-selector.ts'
export { fullImageName, imageIdOf } from './image-name.ts'
export {
  hasLabels,
  type LabelMatcher,
  type Labels,
  matchesRequirement,
  selectorText,
  toLabelMatcher,
} from './label-selector.ts'
export * from './names.ts'
export * from './object.ts'
export * from './owner.ts'
export * from './parse-label-selector.ts'
export * from './quantity.ts'
export * from './time.ts'
