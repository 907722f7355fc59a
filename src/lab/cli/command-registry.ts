/** Lists the commands of the folder commands/, and loads one when it is called. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from './define-command.ts'

const FOLDER = join(import.meta.dirname, 'commands')

const toExportName = (fileName: string): string =>
  fileName.replace(/-([a-z])/g, (_, character: string) => character.toUpperCase())

/** Returns the sorted names. A command in a subfolder has the name of the subfolder before its own: `cluster up`. */
export const listCommandNames = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => path.slice(0, -'.ts'.length).replaceAll('\\', '/').replaceAll('/', ' '))
    .sort()

/** The file exports the command under the name of the file in camelCase. */
export const loadCommand = async (name: string): Promise<Command> => {
  const path = name.replaceAll(' ', '/')
  const module = await import(/* @vite-ignore */ new URL(`./commands/${path}.ts`, import.meta.url).href)
  const command = module[toExportName(name.split(' ').at(-1)!)]
  if (command === undefined)
    throw new Error(`src/lab/cli/commands/${path}.ts must export ${toExportName(name.split(' ').at(-1)!)}`)
  return command
}
