/** head: prints the start of files. */
import { decodeBytes, encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { complainOfFile, oldStyle, printHeading } from './head-and-tail.ts'
import { parseSize } from './parse-size.ts'
import { readDevice } from './read-device.ts'

const readBytesOf = (call: PodProgramCall, path: string, bytes: number): Uint8Array =>
  readDevice(call, path, bytes) ?? encodeText(call.readText(path)).subarray(0, bytes)

const firstPart = (call: PodProgramCall, path: string, bytes: string | undefined, lines: string): string => {
  if (bytes !== undefined) {
    const size = parseSize(bytes.replace(/^-/, ''))
    if (size === undefined) throw new ProgramFailure(`invalid number of bytes: ‘${bytes}’`)
    if (!bytes.startsWith('-')) return decodeBytes(readBytesOf(call, path, size))
    const all = encodeText(call.readText(path))
    return decodeBytes(all.subarray(0, Math.max(0, all.length - size)))
  }
  const count = parseSize(lines.replace(/^-/, ''))
  if (count === undefined) throw new ProgramFailure(`invalid number of lines: ‘${lines}’`)
  const parts = call.readText(path).match(/[^\n]*\n|[^\n]+$/g) ?? []
  return (
    lines.startsWith('-') ? (count === 0 ? parts : parts.slice(0, -count)) : parts.slice(0, count)
  ).join('')
}

export const head: PodProgram = (call) => {
  const { options, operands } = parseOptions(
    { args: oldStyle(call.args), refuse: call.refuse },
    { flags: 'q', values: 'nc', long: { lines: 'n', bytes: 'c' } },
  )
  const paths = operands.length === 0 ? ['-'] : operands
  let code = 0
  for (const [index, path] of paths.entries()) {
    try {
      const part = firstPart(
        call,
        path,
        options.get('c') as string | undefined,
        (options.get('n') as string) ?? '10',
      )
      if (paths.length > 1 && !options.has('q')) printHeading(call, path, index)
      call.out(part)
    } catch (error) {
      complainOfFile(call, error)
      code = 1
    }
  }
  return code
}
