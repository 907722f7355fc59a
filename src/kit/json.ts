/** Compares, copies and freezes JSON values. */
import { setMember } from './member.ts'

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const hasSameElements = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) {
    if (!deepEqual(a[index], b[index])) return false
  }
  return true
}

/** Members whose value is undefined count as absent, as they do in JSON. */
const hasSameMembers = (a: Record<string, unknown>, b: Record<string, unknown>): boolean => {
  let remaining = 0
  for (const key in b) if (b[key] !== undefined) remaining += 1
  for (const key in a) {
    const value = a[key]
    if (value === undefined) continue
    if (!Object.hasOwn(b, key) || b[key] === undefined || !deepEqual(value, b[key])) return false
    remaining -= 1
  }
  return remaining === 0
}

/** Whether two JSON values are equal. The order of keys is ignored; identical references are equal without a comparison. */
export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (!isContainer(a) || !isContainer(b)) return false
  if (Array.isArray(a)) return Array.isArray(b) && hasSameElements(a, b)
  if (Array.isArray(b)) return false
  return hasSameMembers(a as Record<string, unknown>, b as Record<string, unknown>)
}

/** Returns a mutable copy that shares nothing with the original. */
export const cloneJson = <T>(value: T): T => {
  if (!isContainer(value)) return value
  if (Array.isArray(value)) return value.map(cloneJson) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    setMember(copy, key, cloneJson((value as Record<string, unknown>)[key]))
  }
  return copy as T
}

/** Freezes the value and everything in it, and returns it. Skips parts that are already frozen. */
export const deepFreeze = <T>(value: T): T => {
  if (!isContainer(value) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
