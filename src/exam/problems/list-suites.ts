/** Lists the suites: each YAML file in the folder `suites` is one. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#kit'
import { parseSuite } from './parse-suite.ts'

export const SUITES_FOLDER = join(REPOSITORY, 'suites')
const EXTENSION = '.yaml'

export interface SuiteSummary {
  readonly name: string
  readonly about: string
}

/** Sorted by name. */
export const listSuiteNames = (): string[] =>
  readdirSync(SUITES_FOLDER)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort()

export const suiteFile = (name: string): string => join(SUITES_FOLDER, name + EXTENSION)

export const listSuites = (): SuiteSummary[] =>
  listSuiteNames().map((name) => {
    const { about } = parseSuite(readFileSync(suiteFile(name), 'utf8'), `${name}${EXTENSION}`).value
    return { name, about }
  })
