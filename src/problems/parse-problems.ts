/** Reads problems that somebody wrote down as they are: nothing is drawn. */
import { checkDocument, type LocatedYaml, readDocument, type YamlPath } from '../kit/index.ts'
import type { Problem } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { createCatalogue } from './catalogue.ts'
import { fitMistakes } from './fit-mistakes.ts'
import { problemId } from './problem-id.ts'
import { problemsSchema } from './problem-schema.ts'

const misnamed = (problem: Problem, path: YamlPath, document: LocatedYaml): string[] => {
  const id = problemId(problem)
  return problem.id === id
    ? []
    : [document.mistakeAt([...path, 'id'], `must be ${id}, as the rest says, not ${problem.id}`)]
}

/**
 * What `remedium problems --json` prints: `{"problems": [...]}`. Rejects with all mistakes, each with file, line and path: whatever could
 * not have been drawn, and an id that is not that of the content.
 */
export const parseProblems = async (text: string, file: string): Promise<readonly Problem[]> => {
  const document = readDocument(text, file)
  if ('mistakes' in document) return failWith(document.mistakes)
  const reading = checkDocument(problemsSchema, document)
  if ('mistakes' in reading) return failWith(reading.mistakes)
  const { problems } = reading.value
  const catalogue = createCatalogue()
  const mistakes: string[] = []
  for (const [index, problem] of problems.entries()) {
    const path = ['problems', index]
    const unfit = await fitMistakes(problem, path, document, catalogue)
    // What has to be written otherwise gets another id.
    mistakes.push(...(unfit.length > 0 ? unfit : misnamed(problem, path, document)))
  }
  return mistakes.length > 0 ? failWith(mistakes) : problems
}
