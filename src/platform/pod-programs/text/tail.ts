/** tail: prints the end of files, and follows a file with -f. */
import { decodeBytes, encodeText } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { complainOfFile, oldStyle, printHeading } from './head-and-tail.ts'
import { parseSize } from './parse-size.ts'

const lastPart = (text: string, bytes: string | undefined, lines: string): string => {
  if (bytes !== undefined) {
    const size = parseSize(bytes.replace(/^[-+]/, '')) ?? 0
    const all = encodeText(text)
    return decodeBytes(
      bytes.startsWith('+')
        ? all.subarray(Math.max(0, size - 1))
        : size === 0
          ? all.subarray(0, 0)
          : all.subarray(-size),
    )
  }
  const parts = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const count = parseSize(lines.replace(/^[-+]/, '')) ?? 0
  if (lines.startsWith('+')) return parts.slice(Math.max(0, count - 1)).join('')
  return count === 0 ? '' : parts.slice(-count).join('')
}

/** The time until a followed file is looked at again: it grows while the file does not, because each look costs the simulation time. */
const FOLLOW_MS = 1000

const MAX_FOLLOW_MS = 10_000

const follow = async (call: PodProgramCall, path: string): Promise<never> => {
  let size = call.files.statusOf(call.resolve(path))?.bytes ?? 0
  let pauseMs = FOLLOW_MS
  for (;;) {
    await call.sleep(pauseMs)
    pauseMs = Math.min(MAX_FOLLOW_MS, 2 * pauseMs)
    const bytes = call.files.statusOf(call.resolve(path))?.bytes ?? 0
    if (bytes < size) {
      call.complain(`${path}: file truncated`)
      size = 0
    }
    if (bytes <= size) continue
    pauseMs = FOLLOW_MS
    call.out(decodeBytes(call.files.read(call.resolve(path)).subarray(size)))
    size = bytes
  }
}

export const tail: PodProgram = async (call) => {
  const { options, operands } = parseOptions(
    { args: oldStyle(call.args), refuse: call.refuse },
    { flags: 'qfF', values: 'nc', long: { lines: 'n', bytes: 'c', follow: 'f' } },
  )
  const paths = operands.length === 0 ? ['-'] : operands
  const follows = options.has('f') || options.has('F')
  if (follows && paths.length > 1) call.refuse()
  let code = 0
  for (const [index, path] of paths.entries()) {
    try {
      const text = call.readText(path)
      if (paths.length > 1 && !options.has('q')) printHeading(call, path, index)
      call.out(lastPart(text, options.get('c') as string | undefined, (options.get('n') as string) ?? '10'))
    } catch (error) {
      complainOfFile(call, error)
      code = 1
    }
  }
  if (follows && code === 1) call.complain('no files remaining')
  // The end of the standard input never changes.
  return follows && code === 0 && paths[0] !== '-' ? follow(call, paths[0]!) : code
}
