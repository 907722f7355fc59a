/** Vets expressions: rejects those that read files, run programs or access Python internals. */
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { isExpression } from './touch.ts'

const LOOKUP_CALL = /\b(?:lookup|query|q)\s*\(\s*(['"]([\w.]+)['"])?/g
const PYTHON_INTERNALS = /__(?:class|mro|globals|subclasses|import|builtins|base|init|getattribute)\w*__/
const HIDDEN_INTERNALS = /\|\s*attr\s*\(|\[\s*['"]_{2}/
/** Keywords whose value is an expression without braces. */
const EXPRESSION_KEYS = new Set(['when', 'until', 'failed_when', 'changed_when', 'that', 'loop', 'var'])

const LOOKUP_HINT = 'read the cluster with kubernetes.core.k8s_info or kubectl'

const shortName = (name: string): string => name.replace(/^ansible\.(builtin|legacy)\./, '')

const vetText = (text: string, policy: PlaybookPolicy): string[] => {
  const reasons = [...text.matchAll(LOOKUP_CALL)].flatMap(([, quoted, name]) => {
    if (quoted === undefined) return ['it uses a lookup whose plugin is not a literal name']
    return policy.lookups.includes(shortName(name!))
      ? []
      : [`it uses the lookup plugin "${name}", which is not allowed: ${LOOKUP_HINT}`]
  })
  const isInternal = PYTHON_INTERNALS.test(text) || (HIDDEN_INTERNALS.test(text) && isExpression(text))
  return isInternal ? [...reasons, 'one of its expressions accesses Python internals'] : reasons
}

/** Collects every string in a value, and whether its key makes it an expression. */
const collectTexts = (value: unknown, isBare: boolean, texts: [string, boolean][], depth = 0): void => {
  if (depth > 64) return
  if (typeof value === 'string') texts.push([value, isBare])
  else if (Array.isArray(value)) for (const each of value) collectTexts(each, isBare, texts, depth + 1)
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      if (isExpression(key)) texts.push([key, false])
      collectTexts(each, EXPRESSION_KEYS.has(key), texts, depth + 1)
    }
}

/** Vets all expressions in a value; ignores plain text. */
export const vetExpressions = (value: unknown, policy: PlaybookPolicy): string[] => {
  const texts: [string, boolean][] = []
  collectTexts(value, false, texts)
  return texts
    .filter(([text, isBare]) => isBare || isExpression(text))
    .flatMap(([text]) => vetText(text, policy))
}

/** Vets `with_PLUGIN` loops. */
export const vetLoops = (keys: readonly string[], policy: PlaybookPolicy): string[] =>
  keys
    .filter((key) => key.startsWith('with_'))
    .filter((key) => !policy.lookups.includes(shortName(key.slice('with_'.length))))
    .map((key) => `it loops with ${key}, which is not allowed: ${LOOKUP_HINT}`)
