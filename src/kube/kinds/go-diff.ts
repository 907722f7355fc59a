/** The difference of two specs, drawn the way the server draws it in refusals of pod updates. */
import { deepEqual } from '../../kit/index.ts'
import { goFieldName } from './go-text.ts'

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const short = (value: unknown): string => {
  if (value === undefined || value === null) return 'nil'
  if (Array.isArray(value)) return `{${value.map(short).join(', ')}}`
  if (!isMembers(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([field, member]) => `${goFieldName(field)}: ${short(member)}`)
    .join(', ')}}`
}

const line = (sign: ' ' | '-' | '+', depth: number, text: string): string =>
  `${sign} ${'\t'.repeat(depth)}${text}`

const identical = (count: number, what: string, depth: number): string[] =>
  count === 0 ? [] : [line(' ', depth, `... // ${count} identical ${what}${count === 1 ? '' : 's'}`)]

const drawPair = (label: string, old: unknown, now: unknown, depth: number): string[] => {
  if (isMembers(old) && isMembers(now)) {
    return [line(' ', depth, `${label}{`), ...drawMembers(old, now, depth + 1), line(' ', depth, '},')]
  }
  if (Array.isArray(old) && Array.isArray(now)) {
    return [line(' ', depth, `${label}{`), ...drawElements(old, now, depth + 1), line(' ', depth, '},')]
  }
  return [line('-', depth, `${label}${short(old)},`), line('+', depth, `${label}${short(now)},`)]
}

const drawMembers = (old: Members, now: Members, depth: number): string[] => {
  const lines: string[] = []
  let same = 0
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (deepEqual(old[field], now[field])) {
      same += 1
      continue
    }
    lines.push(...identical(same, 'field', depth))
    same = 0
    lines.push(...drawPair(`${goFieldName(field)}: `, old[field], now[field], depth))
  }
  return [...lines, ...identical(same, 'field', depth)]
}

const drawElements = (old: readonly unknown[], now: readonly unknown[], depth: number): string[] => {
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
    else lines.push(...drawPair('', old[index], now[index], depth))
  }
  return [...lines, ...identical(same, 'element', depth)]
}

/** Ends with a line break, as the server's does. */
export const goDiff = (type: string, old: object, now: object): string =>
  [line(' ', 0, `${type}{`), ...drawMembers(old as Members, now as Members, 1), line(' ', 0, '}'), ''].join(
    '\n',
  )
