/** Formats the difference between two specs as kube-apiserver does for rejected pod updates. */
import { deepEqual, isPlainObject } from '#kit'
import { goFieldName } from './go-text.ts'

type Members = Readonly<Record<string, unknown>>

const formatValue = (value: unknown): string => {
  if (value === undefined || value === null) return 'nil'
  if (Array.isArray(value)) return `{${value.map(formatValue).join(', ')}}`
  if (!isPlainObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([field, member]) => `${goFieldName(field)}: ${formatValue(member)}`)
    .join(', ')}}`
}

const line = (sign: ' ' | '-' | '+', depth: number, text: string): string =>
  `${sign} ${'\t'.repeat(depth)}${text}`

const identicalLine = (count: number, noun: string, depth: number): string[] =>
  count === 0 ? [] : [line(' ', depth, `... // ${count} identical ${noun}${count === 1 ? '' : 's'}`)]

const formatPair = (label: string, old: unknown, updated: unknown, depth: number): string[] => {
  if (isPlainObject(old) && isPlainObject(updated)) {
    return [line(' ', depth, `${label}{`), ...formatMembers(old, updated, depth + 1), line(' ', depth, '},')]
  }
  if (Array.isArray(old) && Array.isArray(updated)) {
    return [line(' ', depth, `${label}{`), ...formatElements(old, updated, depth + 1), line(' ', depth, '},')]
  }
  return [
    line('-', depth, `${label}${formatValue(old)},`),
    line('+', depth, `${label}${formatValue(updated)},`),
  ]
}

const formatMembers = (old: Members, updated: Members, depth: number): string[] => {
  const lines: string[] = []
  let identicalCount = 0
  for (const field of new Set([...Object.keys(old), ...Object.keys(updated)])) {
    if (deepEqual(old[field], updated[field])) {
      identicalCount += 1
      continue
    }
    lines.push(...identicalLine(identicalCount, 'field', depth))
    identicalCount = 0
    lines.push(...formatPair(`${goFieldName(field)}: `, old[field], updated[field], depth))
  }
  return [...lines, ...identicalLine(identicalCount, 'field', depth)]
}

const formatElements = (old: readonly unknown[], updated: readonly unknown[], depth: number): string[] => {
  const lines: string[] = []
  let identicalCount = 0
  for (let index = 0; index < Math.max(old.length, updated.length); index += 1) {
    if (index < old.length && index < updated.length && deepEqual(old[index], updated[index])) {
      identicalCount += 1
      continue
    }
    lines.push(...identicalLine(identicalCount, 'element', depth))
    identicalCount = 0
    if (index >= updated.length) lines.push(line('-', depth, `${formatValue(old[index])},`))
    else if (index >= old.length) lines.push(line('+', depth, `${formatValue(updated[index])},`))
    else lines.push(...formatPair('', old[index], updated[index], depth))
  }
  return [...lines, ...identicalLine(identicalCount, 'element', depth)]
}

/** Formats the difference. The text ends with a line break. */
export const goDiff = (type: string, old: object, updated: object): string =>
  [
    line(' ', 0, `${type}{`),
    ...formatMembers(old as Members, updated as Members, 1),
    line(' ', 0, '}'),
    '',
  ].join('\n')
