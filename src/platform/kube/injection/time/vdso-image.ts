/** Reads the vDSO: the code that the kernel maps into every process to read the clocks. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { endianness } from 'node:os'

const AT_SYSINFO_EHDR = 33n
const PT_LOAD = 1
const PT_DYNAMIC = 2
const DT_HASH = 4
const DT_STRTAB = 5
const DT_SYMTAB = 6
const SYMBOL_BYTES = 24

export interface VdsoImage {
  readonly bytes: Buffer
  /** The offsets of its functions. */
  readonly symbols: ReadonlyMap<string, number>
  /** The offset of its unused end, aligned to 16 bytes. */
  readonly freeAt: number
}

/** Returns the address of the vDSO in a process; undefined if the process has none or has ended. */
export const vdsoBase = (pid: number | 'self'): number | undefined => {
  let bytes: Buffer
  try {
    bytes = readFileSync(`/proc/${pid}/auxv`)
  } catch {
    return undefined
  }
  for (let offset = 0; offset + 16 <= bytes.length; offset += 16)
    if (bytes.readBigUInt64LE(offset) === AT_SYSINFO_EHDR) return Number(bytes.readBigUInt64LE(offset + 8))
  return undefined
}

/** Reads the entries of the dynamic section. */
const readDynamicSection = (bytes: Buffer): ReadonlyMap<number, number> => {
  const entries = new Map<number, number>()
  const headers = Number(bytes.readBigUInt64LE(32))
  const size = bytes.readUInt16LE(54)
  let loadAddress = 0
  for (let index = 0; index < bytes.readUInt16LE(56); index += 1) {
    const header = headers + index * size
    const type = bytes.readUInt32LE(header)
    if (type === PT_LOAD) loadAddress = Number(bytes.readBigUInt64LE(header + 16))
    if (type !== PT_DYNAMIC) continue
    let offset = Number(bytes.readBigUInt64LE(header + 8))
    for (; bytes.readBigUInt64LE(offset) !== 0n; offset += 16)
      entries.set(
        Number(bytes.readBigUInt64LE(offset)),
        Number(bytes.readBigUInt64LE(offset + 8)) - loadAddress,
      )
  }
  return entries
}

const parseSymbols = (bytes: Buffer): ReadonlyMap<string, number> => {
  const dynamic = readDynamicSection(bytes)
  const [hash, names, table] = [DT_HASH, DT_STRTAB, DT_SYMTAB].map((tag) => dynamic.get(tag))
  if (names === undefined || table === undefined) throw new Error('the vDSO has no symbols')
  // Without DT_HASH, the string table follows the symbol table.
  const count = hash === undefined ? (names - table) / SYMBOL_BYTES : bytes.readUInt32LE(hash + 4)
  const symbols = new Map<string, number>()
  for (let index = 0; index < count; index += 1) {
    const offset = table + index * SYMBOL_BYTES
    const name = names + bytes.readUInt32LE(offset)
    const value = Number(bytes.readBigUInt64LE(offset + 8))
    symbols.set(bytes.toString('latin1', name, bytes.indexOf(0, name)), value)
  }
  return symbols
}

/** Returns the length of this process's mapping at `base`. */
const mappedLength = (base: number): number => {
  const line = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${base.toString(16)}-`))
  return line === undefined ? 0 : Number.parseInt(line.split(/[- ]/)[1]!, 16) - base
}

/** Reads the vDSO of this process, which equals that of other 64-bit processes and is never patched. */
export const readVdso = (): VdsoImage => {
  const base = vdsoBase('self')
  const length = base === undefined ? 0 : mappedLength(base)
  if (base === undefined || length === 0 || endianness() !== 'LE')
    throw new Error('time faults need a little-endian kernel with a vDSO')
  const bytes = Buffer.alloc(length)
  const memory = openSync('/proc/self/mem', 'r')
  try {
    readSync(memory, bytes, 0, length, base)
  } finally {
    closeSync(memory)
  }
  let end = length
  while (bytes[end - 1] === 0) end -= 1
  return { bytes, symbols: parseSymbols(bytes), freeAt: (end + 31) & ~15 }
}
