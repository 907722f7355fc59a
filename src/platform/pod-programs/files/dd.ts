/** dd: copies blocks, and reports how long it took. */
import { encodeText } from '#platform/shell'
import { type PodProgram, type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'
import { parseSize } from '../text/parse-size.ts'
import { readDevice } from '../text/read-device.ts'

const OPTIONS = new Set(['if', 'of', 'bs', 'count', 'oflag', 'iflag', 'conv', 'status'])

const parseOperands = (call: PodProgramCall): ReadonlyMap<string, string> => {
  const operands = new Map<string, string>()
  for (const arg of call.args) {
    const [name = '', ...value] = arg.split('=')
    if (!OPTIONS.has(name)) call.refuse()
    operands.set(name, value.join('='))
  }
  return operands
}

const FLAGS = new Set([
  'direct',
  'sync',
  'dsync',
  'fsync',
  'fdatasync',
  'notrunc',
  'nocreat',
  'none',
  'append',
])

/** `10 MB, 10 MiB`, and nothing for small numbers. */
const describeBytes = (bytes: number): string => {
  const scale = (base: number, units: readonly string[]): string | undefined => {
    const power = Math.min(units.length, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(base)))
    if (power === 0) return undefined
    const value = bytes / base ** power
    return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`
  }
  const decimal = scale(1000, ['kB', 'MB', 'GB'])
  const binary = scale(1024, ['KiB', 'MiB', 'GiB'])
  return decimal === undefined ? '' : ` (${decimal}${binary === undefined ? '' : `, ${binary}`})`
}

const describeRate = (bytes: number, seconds: number): string => {
  const rate = bytes / Math.max(seconds, 1e-6)
  const [power, unit] = rate >= 1e9 ? [1e9, 'GB/s'] : rate >= 1e6 ? [1e6, 'MB/s'] : [1e3, 'kB/s']
  const value = rate / power
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

const readSource = (
  call: PodProgramCall,
  path: string | undefined,
  block: number,
  count: number | undefined,
): Uint8Array => {
  if (path === undefined || path === '-')
    return encodeText(call.host.input).subarray(0, count === undefined ? undefined : block * count)
  const device = count === undefined ? undefined : readDevice(call, path, block * count)
  if (device !== undefined) return device
  try {
    const content = call.files.read(call.resolve(path))
    return count === undefined ? content : content.subarray(0, block * count)
  } catch (error) {
    throw new ProgramFailure(`failed to open '${path}': ${reasonOf(error)}`)
  }
}

const records = (bytes: number, block: number): string =>
  `${Math.floor(bytes / block)}+${bytes % block === 0 ? 0 : 1}`

export const dd: PodProgram = async (call) => {
  const operands = parseOperands(call)
  const block = parseSize(operands.get('bs') ?? '512') ?? call.refuse()
  const count = operands.has('count') ? (parseSize(operands.get('count')!) ?? call.refuse()) : undefined
  const flags = ['oflag', 'iflag', 'conv', 'status'].flatMap((name) => operands.get(name)?.split(',') ?? [])
  if (flags.some((flag) => !FLAGS.has(flag))) call.refuse()
  const { time } = call.host
  const startedAt = time.monotonic()
  const content = readSource(call, operands.get('if'), block, count)
  const target = operands.get('of')
  let written = 0
  let failure: string | undefined
  if (target === undefined) {
    if (content.length > 0) call.refuse('to the standard output')
  } else {
    const path = call.resolve(target)
    if (flags.includes('nocreat') && !call.files.exists(path))
      throw new ProgramFailure(`failed to open '${target}': No such file or directory`)
    try {
      const mode = flags.includes('append')
        ? 'append'
        : flags.includes('notrunc') && call.files.exists(path)
          ? 'update'
          : 'replace'
      const file = await call.files.open(path, mode)
      try {
        while (written < content.length) {
          const end = Math.min(content.length, written + block)
          written += await file.write(content.subarray(written, end), written)
          if (flags.includes('direct') || flags.includes('sync') || flags.includes('dsync')) await file.sync()
        }
        if (flags.includes('fsync') || flags.includes('fdatasync')) await file.sync()
      } catch (error) {
        failure = `error writing '${target}': ${reasonOf(error)}`
      } finally {
        await file.close()
      }
    } catch (error) {
      throw new ProgramFailure(`failed to open '${target}': ${reasonOf(error)}`)
    }
  }
  if (failure !== undefined) call.complain(failure)
  if (!flags.includes('none')) {
    const seconds = (time.monotonic() - startedAt) / 1000
    const copied = `${written} bytes${describeBytes(written)} copied, ${Number(seconds.toPrecision(6))} s, ${describeRate(written, seconds)}`
    const inRecords =
      failure === undefined ? records(content.length, block) : `${Math.floor(written / block) + 1}+0`
    call.host.writeError(`${inRecords} records in\n${records(written, block)} records out\n${copied}\n`)
  }
  return failure === undefined ? 0 : 1
}
