/** Converts a problem to its control: the same task, load, report and budget, without faults. */
import type { Problem } from '#spec'
import { problemId } from './problem-id.ts'

export const toControl = ({ id: _, ...problem }: Problem): Problem => {
  const content = { ...problem, faults: [] }
  return { id: problemId(content), ...content }
}
