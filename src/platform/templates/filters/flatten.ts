/** The filter `flatten`. */
import { equals } from '../python/compare.ts'
import { isSequence, iterate } from '../python/iterate.ts'
import { checkDepth, spendItems } from '../work.ts'

const NULLS = [null, 'None', 'null']

/** `levels` is undefined for all levels. */
export const flatten = (
  values: unknown,
  levels: number | undefined,
  skipsNulls: boolean,
  depth = 0,
): unknown[] => {
  checkDepth(depth)
  const result: unknown[] = []
  for (const item of iterate(values)) {
    spendItems(1)
    if (skipsNulls && NULLS.some((none) => equals(item, none))) continue
    if (isSequence(item) && (levels === undefined || levels >= 1))
      for (const inner of flatten(item, levels === undefined ? undefined : levels - 1, skipsNulls, depth + 1))
        result.push(inner)
    else result.push(item)
  }
  return result
}
