/** What a program writes at the level `trace`: every buffer of a request, byte by byte, as frameworks dump them. */

/** Of each request, whatever its size: the same bytes pass codec, frame, stream and handler, and each layer dumps them. */
const LINES = 3072
const BYTES_OF_LINE = 16
const LAYERS = ['codec', 'frame', 'stream', 'handler']

/** `00000010: 47 45 54 20 2f ... */
const toLine = (bytes: Buffer, from: number): string => {
  let hex = ''
  for (let at = 0; at < BYTES_OF_LINE; at += 1)
    hex += ` ${bytes[(from + at) % bytes.length]!.toString(16).padStart(2, '0')}`
  return `${from.toString(16).padStart(8, '0')}:${hex}`
}

/** The lines that are put behind the one about the request. */
export const traceDump = (line: string): string => {
  const bytes = Buffer.from(`${line}\n`)
  const perLayer = LINES / LAYERS.length
  const parts: string[] = [line]
  for (const layer of LAYERS)
    for (let at = 0; at < perLayer; at += 1) parts.push(`TRACE ${layer} ${toLine(bytes, at * BYTES_OF_LINE)}`)
  return parts.join('\n')
}
