/** Label selectors that the modules evaluate themselves, on definitions that do not exist in the cluster yet. */
import { isPlainObject } from '#kit'
import type { Definition } from './definitions.ts'

type Test = (labels: Readonly<Record<string, unknown>>) => boolean

const SET = /^ *([a-z0-9A-Z][a-z0-9A-Z._-]*[a-z0-9A-Z]) +(notin|in) +\((.*)\) */

const parse = (selector: string): Test => {
  const set = SET.exec(selector)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    const values = list
      .split(',')
      .filter((value) => value !== '')
      .map((value) => value.replaceAll(' ', ''))
    return (labels) => {
      const isMember = key in labels && values.includes(String(labels[key]))
      return operator === 'in' ? isMember : !isMember
    }
  }
  if (!/==|!=|=/.test(selector)) {
    const key = selector.trim()
    return key.startsWith('!') ? (labels) => !(key.slice(1).trimStart() in labels) : (labels) => key in labels
  }
  const compact = selector.replaceAll(' ', '')
  const operator = ['==', '!=', '='].find((each) => compact.includes(each))!
  const at = compact.indexOf(operator)
  const [key, value] = [compact.slice(0, at), compact.slice(at + operator.length)]
  return operator === '!='
    ? (labels) => !(key in labels) || labels[key] !== value
    : (labels) => key in labels && labels[key] === value
}

export const matchesLabels = (definition: Definition, selectors: readonly string[]): boolean => {
  const labels = definition.metadata?.labels
  return isPlainObject(labels) && selectors.every((selector) => parse(selector)(labels))
}
