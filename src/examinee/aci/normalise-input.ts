/** Normalises the input of an action as language models write it. */
import { isPlainObject } from '#kit'

/** Parses an input that is JSON text, and drops fields that are null: models write null for fields they leave out. */
export const normaliseInput = (input: unknown): unknown => {
  let value = input ?? {}
  if (typeof value === 'string')
    try {
      value = value.trim() === '' ? {} : JSON.parse(value)
    } catch {
      return value
    }
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
}
