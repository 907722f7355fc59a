/** The control of a problem: the same task, users, report and budget, and nothing is wrong. */
import type { Problem } from '../spec/index.ts'
import { problemId } from './problem-id.ts'

export const toControl = ({ id: _, ...problem }: Problem): Problem => {
  const content = { ...problem, faults: [] }
  return { id: problemId(content), ...content }
}
