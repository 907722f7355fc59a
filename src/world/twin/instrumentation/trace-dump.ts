/** The output of the log level `trace`: hex dumps of the buffers of a request, as frameworks write them. */

/** Lines per request, regardless of its size; each layer dumps the same bytes. */
const LINES_PER_REQUEST = 3072
const BYTES_PER_LINE = 16
const LAYERS = ['codec', 'frame', 'stream', 'handler']

/** Formats a line such as `00000010: 47 45 54 20 2f ...`. */
const toLine = (bytes: Buffer, from: number): string => {
  let hex = ''
  for (let column = 0; column < BYTES_PER_LINE; column += 1)
    hex += ` ${bytes[(from + column) % bytes.length]!.toString(16).padStart(2, '0')}`
  return `${from.toString(16).padStart(8, '0')}:${hex}`
}

/** Returns the log line of the request, followed by its dump. */
export const traceDump = (line: string): string => {
  const bytes = Buffer.from(`${line}\n`)
  const linesPerLayer = LINES_PER_REQUEST / LAYERS.length
  const parts: string[] = [line]
  for (const layer of LAYERS)
    for (let index = 0; index < linesPerLayer; index += 1)
      parts.push(`TRACE ${layer} ${toLine(bytes, index * BYTES_PER_LINE)}`)
  return parts.join('\n')
}
