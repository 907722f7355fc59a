/** cat, head, tail, tac and tee. */
import { decodeBytes, encodeText, writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'
import { joinLines, readInputs, splitLines } from './lines.ts'

const cat: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'nu' })
  const { texts, code } = readInputs(call, operands)
  let number = 0
  for (const { text } of texts) {
    if (!options.has('n')) call.out(text)
    else
      for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
        number += 1
        call.out(`${String(number).padStart(6)}\t${line}`)
      }
  }
  return code
}

const SUFFIXES: Readonly<Record<string, number>> = {
  b: 512,
  K: 1024,
  k: 1024,
  M: 2 ** 20,
  G: 2 ** 30,
  kB: 1000,
  KB: 1000,
  MB: 1e6,
  GB: 1e9,
}

/** A number such as `10` or `1M`. Undefined for others. */
export const parseSize = (text: string): number | undefined => {
  const [, digits, suffix = ''] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? []
  const factor = suffix === '' ? 1 : SUFFIXES[suffix]
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor
}

/** More than this is not made up in memory. */
const MAX_DEVICE_BYTES = 256 * 2 ** 20

/** The first bytes of a device that has no end. */
export const readDevice = (call: PodProgramCall, path: string, bytes: number): Uint8Array | undefined => {
  if (!/^\/dev\/(?:zero|u?random)$/.test(path)) return undefined
  if (bytes > MAX_DEVICE_BYTES) call.refuse(`with ${bytes} bytes of ${path}`)
  return path === '/dev/zero' ? new Uint8Array(bytes) : call.host.random.bytes(bytes)
}

const oldStyle = (args: readonly string[]): readonly string[] => {
  const [first = '', ...rest] = args
  return /^-\d+$/.test(first) ? ['-n', first.slice(1), ...rest] : args
}

/** Prints `==> name <==` above each of several files. */
const printHeading = (call: PodProgramCall, name: string, index: number): void =>
  call.out(`${index > 0 ? '\n' : ''}==> ${name === '-' ? 'standard input' : name} <==\n`)

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

const head: PodProgram = (call) => {
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
      if (!(error instanceof ProgramFailure)) throw error
      const [, file] = /^(.*): No such file or directory$/.exec(error.message) ?? []
      call.complain(
        file === undefined ? error.message : `cannot open '${file}' for reading: No such file or directory`,
      )
      code = 1
    }
  }
  return code
}

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

const tail: PodProgram = async (call) => {
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
      if (!(error instanceof ProgramFailure)) throw error
      const [, file] = /^(.*): No such file or directory$/.exec(error.message) ?? []
      call.complain(
        file === undefined ? error.message : `cannot open '${file}' for reading: No such file or directory`,
      )
      code = 1
    }
  }
  if (follows && code === 1) call.complain('no files remaining')
  // The end of the standard input never changes.
  return follows && code === 0 && paths[0] !== '-' ? follow(call, paths[0]!) : code
}

const tac: PodProgram = (call) => {
  const { texts, code } = readInputs(call, parseOptions(call, {}).operands)
  for (const { text } of texts) call.out(joinLines(splitLines(text).reverse()))
  return code
}

const tee: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'ai' })
  const text = call.host.input
  call.out(text)
  let code = 0
  for (const path of operands) {
    try {
      const file = await call.files.open(call.resolve(path), options.has('a') ? 'append' : 'replace')
      await writeAll(file, encodeText(text), 0).finally(() => file.close())
    } catch (error) {
      call.complain(`${path}: ${reasonOf(error)}`)
      code = 1
    }
  }
  return code
}

export const partPrograms: Readonly<Record<string, PodProgram>> = { cat, head, tac, tail, tee }
