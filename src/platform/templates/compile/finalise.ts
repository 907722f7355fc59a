/** Converts the value of `{{ }}` to output, as Ansible does. */
import { Dict, DictView, dictSize, isDict } from '../python/dict.ts'
import { toList } from '../python/iterate.ts'
import { Undefined } from '../python/undefined.ts'
import { Range, Tuple } from '../python/value.ts'
import { checkDepth, spend } from '../work.ts'

const failOnUndefined = (value: unknown, depth: number): void => {
  if (value instanceof Undefined) {
    if (value.isStrict) value.fail()
    return
  }
  if (typeof value !== 'object' || value === null) return
  checkDepth(depth)
  const items = value instanceof Tuple ? value.items : value
  if (Array.isArray(items)) {
    spend(items.length)
    for (const item of items) failOnUndefined(item, depth + 1)
  } else if (isDict(value)) {
    spend(dictSize(value))
    const entries = value instanceof Dict ? value.entries() : Object.entries(value)
    for (const [, item] of entries) failOnUndefined(item, depth + 1)
  }
}

/** Converts iterators to lists, in the results of filters and of `{{ }}`. */
export const unroll = (value: unknown): unknown =>
  value instanceof DictView || value instanceof Range ? toList(value) : value

/** Converts None to an empty string. Fails if the value is or contains an undefined value. */
export const finalise = (value: unknown): unknown => {
  if (value === null || value === undefined) return ''
  failOnUndefined(value, 0)
  return unroll(value)
}
