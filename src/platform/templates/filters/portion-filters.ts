/** Jinja's filters that divide a list: batch and slice. */
import { iterate } from '../python/iterate.ts'
import { PythonError } from '../python/python-error.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { spendItems } from '../work.ts'
import { countArgument } from './define-filter.ts'

export const batch = (values: unknown, size: unknown, fill: unknown): unknown => {
  const items = iterate(values)
  const count = countArgument(size)
  if (count < 1) throw new UnsupportedTemplate('batches of less than one item')
  const batches: unknown[][] = []
  for (let start = 0; start < items.length; start += count) batches.push(items.slice(start, start + count))
  const short = batches.at(-1)
  if (fill !== null && short !== undefined) {
    spendItems(count)
    while (short.length < count) short.push(fill)
  }
  return batches
}

export const slice = (values: unknown, count: unknown, fill: unknown): unknown => {
  const items = iterate(values)
  const slices = countArgument(count)
  if (slices === 0) throw new PythonError('ZeroDivisionError', 'integer division or modulo by zero')
  if (slices < 0) return []
  spendItems(slices)
  const [size, longer] = [Math.floor(items.length / slices), items.length % slices]
  return Array.from({ length: slices }, (_, index) => {
    const start = index * size + Math.min(index, longer)
    const part = items.slice(start, start + size + (index < longer ? 1 : 0))
    return fill !== null && index >= longer ? [...part, fill] : part
  })
}
