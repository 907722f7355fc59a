/** Parses MicroRemed's lists of experiments: one failure type per line. */
import { findNearestName } from '#kit'
import { FAULT_CATEGORIES, type FaultCategory } from '#spec'
import { failWith } from '#world/workload'

const isCategory = (token: string): token is FaultCategory =>
  (FAULT_CATEGORIES as readonly string[]).includes(token)

/** Skips blank lines and lines that start with #. Throws an error that names all invalid lines. */
export const parseMicroRemedList = (text: string, file: string): FaultCategory[] => {
  const mistakes: string[] = []
  const types = text.split('\n').flatMap((line, index) => {
    const token = line.trim()
    if (token === '' || token.startsWith('#')) return []
    if (isCategory(token)) return [token]
    const near = findNearestName(token, FAULT_CATEGORIES)
    const guess = near === undefined ? '' : `; did you mean ${near}?`
    mistakes.push(`${file}:${index + 1}: "${token}" is not a failure type${guess}`)
    return []
  })
  if (mistakes.length > 0) failWith(mistakes)
  return types.length > 0 ? types : failWith([`${file}:1: the list has no failure type`])
}
