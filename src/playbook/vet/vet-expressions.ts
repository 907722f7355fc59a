/** Expressions that read files, start programs or reach into Python. */
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { isExpression } from './touch.ts'

const CALL = /\b(?:lookup|query|q)\s*\(\s*(['"]([\w.]+)['"])?/g
const INTO_PYTHON = /__(?:class|mro|globals|subclasses|import|builtins|base|init|getattribute)\w*__/
const HIDDEN = /\|\s*attr\s*\(|\[\s*['"]_{2}/
/** Whether a word of it is text that Jinja reads although it has no braces: conditions. */
const BARE = new Set(['when', 'until', 'failed_when', 'changed_when', 'that', 'loop', 'var'])

const NOT_LOOKED_UP = 'take facts from the cluster, by kubernetes.core.k8s_info or kubectl'

const plain = (name: string): string => name.replace(/^ansible\.(builtin|legacy)\./, '')

const vetText = (text: string, policy: PlaybookPolicy): string[] => {
  const found = [...text.matchAll(CALL)].flatMap(([, quoted, name]) => {
    if (quoted === undefined) return ['it looks something up by a plugin that it does not name']
    return policy.lookups.includes(plain(name!))
      ? []
      : [`it looks something up by "${name}": ${NOT_LOOKED_UP}`]
  })
  const reaches = INTO_PYTHON.test(text) || (HIDDEN.test(text) && isExpression(text))
  return reaches ? [...found, 'one of its expressions reaches into Python'] : found
}

/** Every text below a value, with whether it is an expression by its place. */
const textsIn = (value: unknown, isBare: boolean, into: [string, boolean][], depth = 0): void => {
  if (depth > 64) return
  if (typeof value === 'string') into.push([value, isBare])
  else if (Array.isArray(value)) for (const each of value) textsIn(each, isBare, into, depth + 1)
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      if (isExpression(key)) into.push([key, false])
      textsIn(each, BARE.has(key), into, depth + 1)
    }
}

/** In all text of a value; what stands in no expression is only text. */
export const vetExpressions = (value: unknown, policy: PlaybookPolicy): string[] => {
  const texts: [string, boolean][] = []
  textsIn(value, false, texts)
  return texts
    .filter(([text, isBare]) => isBare || isExpression(text))
    .flatMap(([text]) => vetText(text, policy))
}

/** Loops of the old kind name their plugin in the keyword. */
export const vetLoops = (keys: readonly string[], policy: PlaybookPolicy): string[] =>
  keys
    .filter((key) => key.startsWith('with_'))
    .filter((key) => !policy.lookups.includes(plain(key.slice('with_'.length))))
    .map((key) => `it loops by ${key}: ${NOT_LOOKED_UP}`)
