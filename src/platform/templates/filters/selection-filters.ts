/** Jinja's filters that apply a filter or a test to each item: map, select, reject. */
import type { Context } from '../compile/frame.ts'
import type { Plugin } from '../compile/plugins.ts'
import { iterate } from '../python/iterate.ts'
import { PythonError } from '../python/python-error.ts'
import { reprText } from '../python/repr.ts'
import { isTruthy } from '../python/truth.ts'
import type { Keywords } from '../python/value.ts'
import { attributeGetter } from './attribute-getter.ts'

const mapper = (
  context: Context,
  args: readonly unknown[],
  keywords: Keywords,
): ((item: unknown) => unknown) => {
  if (args.length === 0 && keywords.has('attribute')) {
    const unexpected = [...keywords.keys()].find((name) => name !== 'attribute' && name !== 'default')
    if (unexpected !== undefined)
      throw new PythonError('FilterArgumentError', `Unexpected keyword argument ${reprText(unexpected)}`)
    return attributeGetter(keywords.get('attribute'), keywords.get('default') ?? null)
  }
  if (args.length === 0) throw new PythonError('FilterArgumentError', 'map requires a filter argument')
  const [name, ...rest] = args
  return (item) => context.callFilter(name, item, rest, keywords)
}

export const map: Plugin = (context, values, args, keywords) => {
  if (!isTruthy(values)) return []
  const items = (): readonly unknown[] => iterate(values)
  const convert = mapper(context, args, keywords)
  return items().map(convert)
}

export const selector =
  (isWanted: boolean, hasAttribute: boolean): Plugin =>
  (context, values, args, keywords) => {
    if (!isTruthy(values)) return []
    if (hasAttribute && args.length === 0)
      throw new PythonError('FilterArgumentError', 'Missing parameter for attribute name')
    const getter = hasAttribute ? attributeGetter(args[0]) : (item: unknown): unknown => item
    const [name, ...rest] = args.slice(hasAttribute ? 1 : 0)
    const test = (item: unknown): boolean =>
      name === undefined ? isTruthy(getter(item)) : context.callTest(name, getter(item), rest, keywords)
    return iterate(values).filter((item) => test(item) === isWanted)
  }
