/** Reads a problem that somebody wrote down. */
import { readYaml } from '../kit/index.ts'
import type { Problem } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { problemId } from './problem-id.ts'
import { problemSchema } from './problem-schema.ts'

/** JSON or YAML; throws with all mistakes, each with file, line and path. Its id must be that of its content. */
export const parseProblem = (text: string, file: string): Problem => {
  const reading = readYaml(problemSchema, text, file)
  if ('mistakes' in reading) return failWith(reading.mistakes)
  const { value, document } = reading
  const id = problemId(value)
  return value.id === id
    ? value
    : failWith([document.mistakeAt(['id'], `must be ${id}, as the rest says, not ${value.id}`)])
}
