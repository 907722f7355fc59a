/** Parses a port number; `problem` is the kubelet's error message. */
export const parsePort = (text: string): { port: number } | { problem: string } => {
  const quoted = JSON.stringify(text)
  const unparsable = (detail: string): { problem: string } => ({
    problem: `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: ${detail}`,
  })
  if (!/^\d+$/.test(text)) return unparsable('invalid syntax')
  const port = Number(text)
  if (port > 0xffff) return unparsable('value out of range')
  return port < 1 ? { problem: `port ${quoted} must be > 0` } : { port }
}
