/** Runs one program of a folder by its name, or lists the programs of the folder. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The flags that the launcher passes to Node.js, and `--expose-gc` for programs that measure the memory of an engine. */
const NODE_FLAGS = ['--max-semi-space-size=4', '--expose-gc']

export const listPrograms = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))

/** Returns the exit code. `command` is the command line before the name, such as `npm run bench`. */
export const runProgram = (command: string, folder: string, args: readonly string[]): number => {
  const [name, ...rest] = args
  const names = listPrograms(folder)
  if (name === undefined || !names.includes(name)) {
    console.error(`Usage: ${command} NAME [-- OPTION ...], where NAME is one of: ${names.join(', ')}`)
    console.error(`"${command} NAME -- --help" lists the options.`)
    return 2
  }
  const file = join(folder, `${name}.ts`)
  return spawnSync(process.execPath, [...NODE_FLAGS, file, ...rest], { stdio: 'inherit' }).status ?? 1
}
