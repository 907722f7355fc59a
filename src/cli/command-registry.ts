/** The commands: what lies in the folder commands/, listed at once and loaded only when called. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from './define-command.ts'

const FOLDER = join(import.meta.dirname, 'commands')

const toExportName = (fileName: string): string =>
  fileName.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The names of all commands in order; one in a folder of commands/ has the folder's name before its own. */
export const listCommandNames = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => path.slice(0, -'.ts'.length).replaceAll('\\', '/').replaceAll('/', ' '))
    .sort()

/** Loads the command of this name, which its file exports under the name of the file in camelCase. */
export const loadCommand = async (name: string): Promise<Command> => {
  const path = name.replaceAll(' ', '/')
  const module = await import(/* @vite-ignore */ new URL(`./commands/${path}.ts`, import.meta.url).href)
  const command = module[toExportName(name.split(' ').at(-1)!)]
  if (command === undefined)
    throw new Error(`src/cli/commands/${path}.ts must export the command it is named for`)
  return command
}
