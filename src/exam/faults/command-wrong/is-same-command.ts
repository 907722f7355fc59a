/** Compares commands of containers. A wrapper can set limits or refuse a second start, so it is another command. */
import { isDeepStrictEqual } from 'node:util'

type Command = readonly string[]

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|dash|ash)$/
/** A line that runs one program: plain words, without expansions or further commands. */
const ONE_PROGRAM = /^ *(?:exec +)?([\w./:@%+,=-]+(?: +[\w./:@%+,=-]+)*) *$/
const PROGRAM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\//

/** `sh -c 'exec geo'` runs `geo`; commands with other scripts are returned unchanged. */
const withoutShell = (command: Command): Command => {
  const [shell = '', flags = '', script = '', ...rest] = command
  const isScript = SHELL.test(shell) && /^-[ex]*c$/.test(flags) && rest.length === 0
  return isScript ? (ONE_PROGRAM.exec(script)?.[1]?.split(/ +/) ?? command) : command
}

/** `/usr/local/bin/geo` is the program that `geo` finds; all shells run the same scripts. */
const withUsualName = ([program = '', ...args]: Command): Command => [
  SHELL.test(program) ? 'sh' : program.replace(PROGRAM_FOLDER, ''),
  ...args,
]

const normalise = (command: Command): Command => withUsualName(withoutShell(command))

export const isSameCommand = (a: Command, b: Command): boolean =>
  isDeepStrictEqual(normalise(a), normalise(b))
