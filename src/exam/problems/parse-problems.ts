/** Parses written problems; nothing is drawn. */
import { checkDocument, type LocatedYaml, readDocument, type YamlPath } from '#kit'
import type { Problem } from '#spec'
import { failWith } from '#world/workload'
import { createCatalogue } from './create-catalogue.ts'
import { findFitMistakes } from './find-fit-mistakes.ts'
import { problemId } from './problem-id.ts'
import { problemsSchema } from './problem-schema.ts'

const findIdMistake = (problem: Problem, path: YamlPath, document: LocatedYaml): string[] => {
  const id = problemId(problem)
  return problem.id === id
    ? []
    : [
        document.mistakeAt(
          [...path, 'id'],
          `must be ${id}, which follows from the content, not ${problem.id}`,
        ),
      ]
}

/**
 * Reads the output of `remedium problems --json`: `{"problems": [...]}`. Rejects with all mistakes, each with file, line and path:
 * problems that could not have been drawn, and ids that do not match the content.
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
    const fitMistakes = await findFitMistakes(problem, path, document, catalogue)
    // The id is checked last: a problem that is corrected gets another id.
    mistakes.push(...(fitMistakes.length > 0 ? fitMistakes : findIdMistake(problem, path, document)))
  }
  return mistakes.length > 0 ? failWith(mistakes) : problems
}
