/** The size limits: lines of a file, lines and parameters of a function, files of a folder. */
import { dirname } from 'node:path/posix'
import type { Source } from './parse-source.ts'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 80
const MAX_PARAMETERS = 5
const MAX_FOLDER_FILES = 40

const checkFile = ({ file, lines, functions }: Source): string[] => [
  ...(lines > MAX_FILE_LINES ? [`${file} has ${lines} lines; ${MAX_FILE_LINES} are allowed`] : []),
  // In tests, the callback of a `describe` contains many tests and may be long.
  ...(file.endsWith('.test.ts') ? [] : functions)
    .filter((entry) => entry.lines > MAX_FUNCTION_LINES)
    .map(
      (entry) =>
        `${file}:${entry.line} ${entry.name} has ${entry.lines} lines; ${MAX_FUNCTION_LINES} are allowed in a function`,
    ),
  ...functions
    .filter(({ parameters }) => parameters > MAX_PARAMETERS)
    .map(
      ({ name, line, parameters }) =>
        `${file}:${line} ${name} has ${parameters} parameters; ${MAX_PARAMETERS} are allowed`,
    ),
]

/** `files` are all files of the folders with sources, data included. */
export const checkSizes = (sources: readonly Source[], files: readonly string[]): string[] => {
  const folders = Map.groupBy(files, (file) => dirname(file))
  return [
    ...sources.flatMap(checkFile),
    ...[...folders]
      .filter(([, content]) => content.length > MAX_FOLDER_FILES)
      .map(([folder, content]) => `${folder} has ${content.length} files; ${MAX_FOLDER_FILES} are allowed`),
  ]
}
