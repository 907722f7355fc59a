/** Loads a list of MicroRemed's experiments from a file, and draws a problem for each line. */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { drawExperiments } from '#exam/problems'
import { type Problem, RemediumError } from '#spec'
import { parseMicroRemedList } from './parse-micro-remed-list.ts'

export interface ListOptions {
  readonly system?: string | undefined
  /** The name of the file by default. */
  readonly seed?: string | undefined
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new RemediumError('bad-file', `The list ${file} cannot be read.`, { cause })
  }
}

/** Accepts any file extension. Throws if no system is given: a list names none. */
export const loadMicroRemedList = async (
  file: string,
  { system, seed = basename(file, extname(file)) }: ListOptions,
): Promise<Problem[]> => {
  const types = parseMicroRemedList(readText(file), file)
  if (system === undefined)
    throw new RemediumError('bad-argument', `${file} does not name a system.`, {
      hint: 'Choose one with --system.',
    })
  return drawExperiments(types, { system, seed })
}
