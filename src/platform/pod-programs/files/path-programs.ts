/** basename, dirname, realpath and pwd: print paths. */
import { posix } from 'node:path'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'

const basename: PodProgram = ({ args: [path = '', suffix = ''], out }) => {
  const name = posix.basename(path)
  out(`${suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name}\n`)
  return 0
}

const dirname: PodProgram = ({ args: [path = ''], out }) => {
  out(`${posix.dirname(path)}\n`)
  return 0
}

const realpath: PodProgram = (call) => {
  const { operands } = parseOptions(call, { flags: 'f' })
  for (const path of operands) call.out(`${call.resolve(path)}\n`)
  return 0
}

const pwd: PodProgram = ({ host, out }) => {
  out(`${host.folder}\n`)
  return 0
}

export const pathPrograms: Readonly<Record<string, PodProgram>> = { basename, dirname, pwd, realpath }
