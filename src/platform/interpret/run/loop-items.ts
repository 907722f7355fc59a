/** The items of `loop` and `with_...`. */
import { isPlainObject } from '#kit'
import { AnsibleError } from '../load/ansible-error.ts'
import type { Task } from '../load/playbook-tree.ts'
import { pythonString } from '../python/python-text.ts'
import { UnsupportedPlaybook } from '../unsupported-playbook.ts'
import type { Templar } from './templar.ts'

const flatten = (terms: readonly unknown[]): unknown[] =>
  terms.flatMap((term) => (Array.isArray(term) ? term : [term]))

const flattenDeeply = (terms: readonly unknown[]): unknown[] =>
  terms.flatMap((term) => (Array.isArray(term) ? flattenDeeply(term) : [term]))

const PLUGINS: Readonly<Record<string, (terms: readonly unknown[]) => unknown[]>> = {
  items: flatten,
  list: (terms) => [...terms],
  flattened: flattenDeeply,
  indexed_items: (terms) => flatten(terms).map((item, index) => [index, item]),
  dict: (terms) =>
    flatten(terms).flatMap((term) => {
      if (!isPlainObject(term)) throw new AnsibleError('with_dict expects a dict')
      return Object.entries(term).map(([key, value]) => ({ key, value }))
    }),
  together: (terms) => {
    const lists = terms.map((term) => (Array.isArray(term) ? term : [term]))
    const length = Math.max(0, ...lists.map((list) => list.length))
    return Array.from({ length }, (_, index) => lists.map((list) => list[index] ?? null))
  },
}

/** Undefined for a task without a loop. Throws UndefinedVariable if a variable of the loop is undefined. */
export const loopItems = (task: Task, templar: Templar): readonly unknown[] | undefined => {
  if (task.loopWith !== undefined) {
    const plugin = PLUGINS[task.loopWith]
    if (plugin === undefined) throw new UnsupportedPlaybook(`with_${task.loopWith}`)
    const terms = templar.render(task.loop)
    return plugin(Array.isArray(terms) ? terms : [terms])
  }
  if (task.loop === undefined) return undefined
  const items = templar.render(task.loop)
  if (!Array.isArray(items))
    throw new AnsibleError(
      `Invalid data passed to 'loop', it requires a list, got this instead: ${pythonString(items)}. Hint: If you passed a list/dict of just one element, try adding wantlist=True to your lookup invocation or use q/query instead of lookup.`,
    )
  return items
}
