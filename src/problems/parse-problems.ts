/** Reads problems that somebody wrote down as they are: nothing is drawn. */
import { checkDocument, type LocatedYaml, readDocument, type YamlPath } from '../kit/index.ts'
import type { Problem } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { problemId } from './problem-id.ts'
import { problemsSchema } from './problem-schema.ts'

const misnamed = (problem: Problem, path: YamlPath, document: LocatedYaml): string[] => {
  const id = problemId(problem)
  return problem.id === id
    ? []
    : [document.mistakeAt([...path, 'id'], `must be ${id}, as the rest says, not ${problem.id}`)]
}

/**
 * What `remedium problems --json` prints: `{"problems": [...]}`. Throws with all mistakes, each with file, line and path;
 * the id of each must be that of its content.
 */
export const parseProblems = (text: string, file: string): readonly Problem[] => {
  const document = readDocument(text, file)
  if ('mistakes' in document) return failWith(document.mistakes)
  const reading = checkDocument(problemsSchema, document)
  if ('mistakes' in reading) return failWith(reading.mistakes)
  const { problems } = reading.value
  const mistakes = problems.flatMap((problem, index) => misnamed(problem, ['problems', index], document))
  return mistakes.length > 0 ? failWith(mistakes) : problems
}
