/** The suites there are: every YAML file of the folder `suites` is one. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSuite } from './parse-suite.ts'

export const SUITES_FOLDER = join(import.meta.dirname, '..', '..', 'suites')
const ENDING = '.yaml'

export interface SuiteSummary {
  readonly name: string
  readonly about: string
}

/** In the order of the alphabet. */
export const listSuiteNames = (): string[] =>
  readdirSync(SUITES_FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort()

export const suiteFile = (name: string): string => join(SUITES_FOLDER, name + ENDING)

export const listSuites = (): SuiteSummary[] =>
  listSuiteNames().map((name) => {
    const { about } = parseSuite(readFileSync(suiteFile(name), 'utf8'), `${name}${ENDING}`).value
    return { name, about }
  })
