/** Reads from the result of a task whether it failed, changed something or was skipped. */
import type { Result } from '../modules/module.ts'
import { isTrue } from '../python/python-text.ts'

/** The flag of a result, or of any item of a loop. */
export const hasFlag = (result: Result, key: string): boolean => {
  if (key in result) return isTrue(result[key])
  return Array.isArray(result.results) && result.results.some((item: Result) => isTrue(item[key]))
}

export const isFailed = (result: Result): boolean => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : []
  const usesCondition = [result, ...items].some((each) => 'failed_when_result' in each)
  return hasFlag(result, usesCondition ? 'failed_when_result' : 'failed')
}

export const isSkipped = (result: Result): boolean => {
  const items = Array.isArray(result.results) ? (result.results as Result[]) : []
  return (items.length > 0 && items.every((item) => isTrue(item.skipped))) || isTrue(result.skipped)
}
