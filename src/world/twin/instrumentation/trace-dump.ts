/** The output of the log level `trace`: hex dumps of the buffers of a request, as frameworks write them. */

/** Lines per request, regardless of its size; each layer dumps the same bytes. */
const LINES_PER_REQUEST = 3072
const BYTES_PER_LINE = 16
const LAYERS = ['codec', 'frame', 'stream', 'handler']
const LINES_PER_LAYER = LINES_PER_REQUEST / LAYERS.length

/** The CPU time of a dump, measured with a formatter that formats each byte separately, as frameworks do. */
export const TRACE_DUMP_MS = 6

/** A space and two digits. */
const CHARACTERS_PER_BYTE = 3

/** The beginning of each line of each layer, such as `TRACE codec 00000010:`. */
const PREFIXES = LAYERS.map((layer) =>
  Array.from(
    { length: LINES_PER_LAYER },
    (_, index) => `TRACE ${layer} ${(index * BYTES_PER_LINE).toString(16).padStart(8, '0')}:`,
  ),
)

/** Formats the bytes, repeated as often as necessary, in lines such as ` 47 45 54 20 2f ...`. */
const toHexLines = (bytes: Buffer): string[] => {
  const hex = bytes.toString('hex').replace(/../g, ' $&')
  const repeated = hex.repeat(1 + Math.ceil(BYTES_PER_LINE / bytes.length))
  return Array.from({ length: LINES_PER_LAYER }, (_, index) => {
    const start = ((index * BYTES_PER_LINE) % bytes.length) * CHARACTERS_PER_BYTE
    return repeated.slice(start, start + BYTES_PER_LINE * CHARACTERS_PER_BYTE)
  })
}

/**
 * Returns the log line of the request, followed by its dump. The caller must also use `TRACE_DUMP_MS` of CPU time. The text is put together
 * from prepared parts, because a simulated cluster writes thousands of dumps per minute in one process.
 */
export const traceDump = (line: string): string => {
  const hexLines = toHexLines(Buffer.from(`${line}\n`))
  let text = line
  for (const prefixes of PREFIXES)
    for (let index = 0; index < LINES_PER_LAYER; index += 1) text += `\n${prefixes[index]}${hexLines[index]}`
  return text
}
