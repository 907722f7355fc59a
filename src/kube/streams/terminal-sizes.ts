/** Reads the sizes of the client's terminal from the resize channel. */
import type { Readable } from 'node:stream'

export interface TerminalSize {
  columns: number
  rows: number
}

/** Nothing legal comes near this many bytes without closing a brace. */
const MAX_WAITING = 1024

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

/** Returns how to listen: a listener hears the latest size at once, then every change. */
export const readTerminalSizes = (channel: Readable): ((listener: (size: TerminalSize) => void) => void) => {
  const listeners: ((size: TerminalSize) => void)[] = []
  let latest: TerminalSize | undefined
  let waiting = ''
  channel.on('data', (chunk: Buffer) => {
    const texts = (waiting + chunk.toString('latin1')).split(/(?<=\})/)
    waiting = texts.at(-1)!.endsWith('}') ? '' : texts.pop()!.slice(-MAX_WAITING)
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
