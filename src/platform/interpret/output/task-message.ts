/** The message of a task result, in the form of the callback plugin of real runs. */
import { isPlainObject } from '#kit'
import type { Result } from '../modules/module.ts'
import { pythonJson } from '../python/python-json.ts'
import { isTrue } from '../python/python-text.ts'
import { censored } from './printed-output.ts'

const MAX_CHARACTERS = 2000
const MAX_ITEMS = 20
const KEYS = ['msg', 'reason', 'stderr', 'module_stderr', 'stdout', 'module_stdout', 'skip_reason']

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isPlainObject(value) && Object.keys(value).length === 0)

const clip = (text: string): string => [...text].slice(0, MAX_CHARACTERS).join('')

const messageOf = (result: Result): string => {
  if (isTrue(result.censored)) return String(result.censored)
  const texts = KEYS.map((key) => result[key])
    .filter((value) => !isEmpty(value))
    .map((value) => (typeof value === 'string' ? value : pythonJson(value, { asciiOnly: true })).trim())
  return clip(texts.join('\n'))
}

const messagesOfItems = (result: Result): string => {
  const items = Array.isArray(result.results) ? result.results.slice(0, MAX_ITEMS) : []
  return clip(
    items
      .filter(
        (item): item is Result =>
          isPlainObject(item) && (isTrue(item.failed) || isTrue(item.stdout) || isTrue(item.msg)),
      )
      .map((item) => messageOf(item))
      .join('\n'),
  )
}

export const taskMessage = (result: Result): string => {
  const seen = censored(result)
  return messagesOfItems(seen) || messageOf(seen)
}
