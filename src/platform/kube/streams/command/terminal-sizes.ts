/** Reads the sizes of the client's terminal from the resize channel. */
import type { Readable } from 'node:stream'

export interface TerminalSize {
  columns: number
  rows: number
}

/** Longer than any valid message. */
const MAX_PENDING_CHARACTERS = 1024

const parseSize = (text: string): TerminalSize | undefined => {
  try {
    const fields = new Map(
      Object.entries(JSON.parse(text) as object).map(([name, value]) => [name.toLowerCase(), Number(value)]),
    )
    const [columns, rows] = [fields.get('width') ?? 0, fields.get('height') ?? 0]
    return columns > 0 && rows > 0 && columns <= 0xffff && rows <= 0xffff ? { columns, rows } : undefined
  } catch {
    return undefined
  }
}

/** Returns a function that adds a listener, which receives the latest size immediately and then every change. */
export const readTerminalSizes = (channel: Readable): ((listener: (size: TerminalSize) => void) => void) => {
  const listeners: ((size: TerminalSize) => void)[] = []
  let latest: TerminalSize | undefined
  let pending = ''
  channel.on('data', (chunk: Buffer) => {
    const texts = (pending + chunk.toString('latin1')).split(/(?<=\})/)
    pending = texts.at(-1)!.endsWith('}') ? '' : texts.pop()!.slice(-MAX_PENDING_CHARACTERS)
    for (const text of texts) {
      const size = parseSize(text)
      if (size === undefined) continue
      latest = size
      for (const listener of listeners) listener(size)
    }
  })
  return (listener) => {
    listeners.push(listener)
    if (latest !== undefined) listener(latest)
  }
}
