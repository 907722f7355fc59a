/** Reads MicroRemed's lists of experiments: one failure type a line, and nothing else. */
import { nearestName } from '../kit/index.ts'
import { FAULT_CATEGORIES, type FaultCategory } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'

const isCategory = (token: string): token is FaultCategory =>
  (FAULT_CATEGORIES as readonly string[]).includes(token)

/** In the order of the lines. Blank lines and those that begin with # are skipped; throws with all lines that are wrong. */
export const parseMicroRemedList = (text: string, file: string): FaultCategory[] => {
  const mistakes: string[] = []
  const types = text.split('\n').flatMap((line, index) => {
    const token = line.trim()
    if (token === '' || token.startsWith('#')) return []
    if (isCategory(token)) return [token]
    const near = nearestName(token, FAULT_CATEGORIES)
    const guess = near === undefined ? '' : `; did you mean ${near}?`
    mistakes.push(`${file}:${index + 1}: "${token}" is no failure type${guess}`)
    return []
  })
  if (mistakes.length > 0) failWith(mistakes)
  return types.length > 0 ? types : failWith([`${file}:1: it names no failure type`])
}
