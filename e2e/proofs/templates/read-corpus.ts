/** Reads the templates that were written by hand. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './case.ts'

const FOLDER = join(import.meta.dirname, 'corpus')

/** A line with several `{{ }}` is evaluated as a whole, and each part alone. */
const partsOf = (line: string): string[] => {
  const isList =
    line.startsWith('{{') && line.endsWith('}}') && line.includes('}} {{') && !line.includes('{%')
  return isList ? line.split(/(?<=\}\}) (?=\{\{)/) : []
}

/** In the files, `⏎` is a line break, `?` begins a condition, and `# ` a comment. */
const casesOf = (line: string): Case[] => {
  const text = line.replaceAll('⏎', '\n')
  if (text.startsWith('?')) return [{ kind: 'condition', text: text.slice(1) }]
  return [text, ...partsOf(text)].map((part) => ({ kind: 'render', text: part }))
}

export const readCorpus = (): Case[] =>
  readdirSync(FOLDER)
    .sort()
    .flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n'))
    .filter((line) => line !== '' && !line.startsWith('# '))
    .flatMap(casesOf)
