/** Formats the difference of two specs as kube-apiserver does for rejected pod updates. */
import { deepEqual, isPlainObject } from '#kit'
import { goFieldName } from './go-text.ts'

type Members = Readonly<Record<string, unknown>>

const short = (value: unknown): string => {
  if (value === undefined || value === null) return 'nil'
  if (Array.isArray(value)) return `{${value.map(short).join(', ')}}`
  if (!isPlainObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([field, member]) => `${goFieldName(field)}: ${short(member)}`)
    .join(', ')}}`
}

const line = (sign: ' ' | '-' | '+', depth: number, text: string): string =>
  `${sign} ${'\t'.repeat(depth)}${text}`

const identical = (count: number, noun: string, depth: number): string[] =>
  count === 0 ? [] : [line(' ', depth, `... // ${count} identical ${noun}${count === 1 ? '' : 's'}`)]

const formatPair = (label: string, old: unknown, now: unknown, depth: number): string[] => {
  if (isPlainObject(old) && isPlainObject(now)) {
    return [line(' ', depth, `${label}{`), ...formatMembers(old, now, depth + 1), line(' ', depth, '},')]
  }
  if (Array.isArray(old) && Array.isArray(now)) {
    return [line(' ', depth, `${label}{`), ...formatElements(old, now, depth + 1), line(' ', depth, '},')]
  }
  return [line('-', depth, `${label}${short(old)},`), line('+', depth, `${label}${short(now)},`)]
}

const formatMembers = (old: Members, now: Members, depth: number): string[] => {
  const lines: string[] = []
  let same = 0
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (deepEqual(old[field], now[field])) {
      same += 1
      continue
    }
    lines.push(...identical(same, 'field', depth))
    same = 0
    lines.push(...formatPair(`${goFieldName(field)}: `, old[field], now[field], depth))
  }
  return [...lines, ...identical(same, 'field', depth)]
}

const formatElements = (old: readonly unknown[], now: readonly unknown[], depth: number): string[] => {
  const lines: string[] = []
  let same = 0
  for (let index = 0; index < Math.max(old.length, now.length); index += 1) {
    if (index < old.length && index < now.length && deepEqual(old[index], now[index])) {
      same += 1
      continue
    }
    lines.push(...identical(same, 'element', depth))
    same = 0
    if (index >= now.length) lines.push(line('-', depth, `${short(old[index])},`))
    else if (index >= old.length) lines.push(line('+', depth, `${short(now[index])},`))
    else lines.push(...formatPair('', old[index], now[index], depth))
  }
  return [...lines, ...identical(same, 'element', depth)]
}

/** Formats the difference. The text ends with a line break. */
export const goDiff = (type: string, old: object, now: object): string =>
  [line(' ', 0, `${type}{`), ...formatMembers(old as Members, now as Members, 1), line(' ', 0, '}'), ''].join(
    '\n',
  )
